import type { Readable } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import type { CallbackOutcome } from '../operations/attempts/take-engine-callback.ts';
import type { Log } from '../telemetry/log.ts';

interface PrivateParts {
  renderMetrics: () => Promise<string>;
  takeEngineCallback: (token: string, body: Readable) => Promise<CallbackOutcome>;
  log: Log;
}

/** Enough for the largest callback over a slow line. */
const requestTimeoutMilliseconds = 10 * 60_000;
/** While an upload waits for its turn, the connection is silent. */
const silenceMilliseconds = 2 * 60_000;

const statusOf = { taken: 200, ignored: 200, unknown: 404, malformed: 400, 'too-large': 413 } as const;

/** The private port: what Prometheus reads and what engines post. Engines are not trusted: their token is all they have. */
export function createPrivateApp({ renderMetrics, takeEngineCallback, log }: PrivateParts): FastifyInstance {
  const app = Fastify({
    logger: false, // its lines would hold tokens
    requestTimeout: requestTimeoutMilliseconds,
    connectionTimeout: silenceMilliseconds,
    routerOptions: { maxParamLength: 16 * 1024 }, // longer than Node lets an address be: a token is judged by us alone
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  });
  // No body is read before its token is known, and none is ever held as a whole.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));

  app.get('/metrics', async (_request, reply) => {
    reply.type('text/plain; version=0.0.4; charset=utf-8');
    return renderMetrics();
  });

  app.post<{ Params: { token: string } }>('/engine-callbacks/:token', async (request, reply) => {
    try {
      const outcome = await takeEngineCallback(request.params.token, request.raw);
      // What was not read to its end would have to be, before the connection could serve again.
      if (!request.raw.readableEnded) reply.header('connection', 'close');
      return await reply.code(statusOf[outcome]).send({ outcome });
    } catch (error) {
      log.warn({ event: 'engine_callback.failed', err: error }, 'engine callback not stored');
      return reply.code(503).header('connection', 'close').send({ outcome: 'failed' });
    }
  });
  return app;
}
