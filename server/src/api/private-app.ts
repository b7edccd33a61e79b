import type { Readable } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import type { CallbackOutcome } from '../operations/attempts/handle-engine-callback.ts';
import type { Log } from '../telemetry/log.ts';
import type { ApiParts } from './api-parts.ts';
import { closeUnusedConnections } from './hooks/close-unused-connections.ts';
import { healthRoutes } from './routes/health-routes.ts';

interface PrivateParts extends Pick<ApiParts, 'readiness'> {
  renderMetrics: () => Promise<string>;
  handleEngineCallback: (token: string, body: Readable) => Promise<CallbackOutcome>;
  log: Log;
}

/** Enough for the largest callback over a slow connection. */
const requestTimeoutMilliseconds = 10 * 60_000;
/** How long a connection may be silent, as it is while its upload waits for a permit. */
const silenceMilliseconds = 2 * 60_000;

const statusOf = { taken: 200, ignored: 200, unknown: 404, malformed: 400, 'too-large': 413 } as const;

/**
 * Serves metrics, health checks and engines' callbacks on the private port. Engines are not trusted: each callback needs
 * a token.
 */
export function createPrivateApp(parts: PrivateParts): FastifyInstance {
  const { renderMetrics, handleEngineCallback, log } = parts;
  const app = Fastify({
    logger: false, // its lines would contain tokens
    requestTimeout: requestTimeoutMilliseconds,
    connectionTimeout: silenceMilliseconds,
    routerOptions: { maxParamLength: 16 * 1024 }, // longer than Node's limit for a URL, so Fastify rejects no token
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  });
  // As in the public API: what a route sends is its response; the schemas of shared routes only document it.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  closeUnusedConnections(app);
  // No body is read before its token is checked, and none is ever held in memory as a whole.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));

  app.get('/metrics', async (_request, reply) => {
    reply.type('text/plain; version=0.0.4; charset=utf-8');
    return renderMetrics();
  });

  healthRoutes(app, parts);

  app.post<{ Params: { token: string } }>('/engine-callbacks/:token', async (request, reply) => {
    try {
      const outcome = await handleEngineCallback(request.params.token, request.raw);
      // Otherwise the rest of the body would have to be read before the connection could serve another request.
      if (!request.raw.readableEnded) reply.header('connection', 'close');
      return await reply.code(statusOf[outcome]).send({ outcome });
    } catch (error) {
      log.warn({ event: 'engine_callback.failed', err: error }, 'engine callback not stored');
      return reply.code(503).header('connection', 'close').send({ outcome: 'failed' });
    }
  });
  return app;
}
