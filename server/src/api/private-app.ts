import { createHash, timingSafeEqual } from 'node:crypto';
import type { Readable } from 'node:stream';
import { isOwnHost } from '@kinora/settings/own-host';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { closeUnusedConnections } from '../http/close-unused-connections.ts';
import { healthRoutes } from '../http/health-routes.ts';
import type { CallbackOutcome } from '../operations/attempts/handle-engine-callback.ts';
import type { Log } from '../telemetry/log.ts';
import type { ApiParts } from './api-parts.ts';

interface PrivateParts extends Pick<ApiParts, 'readiness'> {
  renderMetrics: () => Promise<string>;
  handleEngineCallback: (token: string, body: Readable) => Promise<CallbackOutcome>;
  /** The host names under which this port is reached. */
  names: readonly string[];
  /** What operators must present to see more than whether the process is healthy; null if nothing. */
  token: string | null;
  log: Log;
}

/** Enough for the largest callback over a slow connection. */
const requestTimeoutMilliseconds = 10 * 60_000;
/** How long a connection may be silent, as it is while its upload waits for a permit. */
const silenceMilliseconds = 2 * 60_000;

const statusOf = { taken: 200, ignored: 200, unknown: 404, malformed: 400, 'too-large': 413 } as const;

/** Metrics, health checks and engines' callbacks. Only callbacks need a token: some load balancers cannot send one. */
export function createPrivateApp(parts: PrivateParts): FastifyInstance {
  const { renderMetrics, handleEngineCallback, names, token, log } = parts;
  const isOperator = ({ headers }: FastifyRequest): boolean =>
    token === null || isEqualSecret((headers.authorization ?? '').replace(/^bearer +/i, ''), token);
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

  app.addHook('onRequest', async ({ headers }, reply) => {
    if (!isOwnHost(headers.host, names))
      return reply.code(421).header('connection', 'close').send({ error: 'host_not_allowed' });
  });

  app.get('/metrics', async (request, reply) => {
    if (!isOperator(request))
      return reply.code(401).header('www-authenticate', 'Bearer').send({ error: 'token_required' });
    reply.type('text/plain; version=0.0.4; charset=utf-8');
    return renderMetrics();
  });

  healthRoutes(app, parts, { showsChecks: isOperator });

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

/** Compares in a time that does not depend on how much of the secret is right. */
function isEqualSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(expected));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
