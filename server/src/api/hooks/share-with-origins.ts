import type { FastifyInstance } from 'fastify';
import { isSigned } from './authorize-requests.ts';

const methods = 'GET, HEAD, POST, PATCH, DELETE';
const requestHeaders =
  'authorization, content-type, idempotency-key, if-none-match, if-range, last-event-id, prefer, range, x-request-id';
/** The response headers that a page may read. */
const exposedHeaders = [
  'accept-ranges',
  'content-length',
  'content-range',
  'etag',
  'idempotent-replayed',
  'openai-poll-after-ms',
  'preference-applied',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'x-ratelimit-limit-requests',
  'x-ratelimit-burst-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-request-id',
  'x-should-retry',
].join(', ');

/**
 * Allows only these origins to call the API from a browser (CORS); signed URLs allow every origin. No cookies are
 * involved. Call this before unknown routes are refused: a preflight uses OPTIONS, which few routes support.
 */
export function shareWithOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins.map((origin) => new URL(origin).origin));

  app.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith('/v1/') || isSigned(request)) return;
    reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !allowed.has(origin)) return;
    reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': exposedHeaders });
    const isPreflight =
      request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined && !request.is404;
    if (!isPreflight) return;
    const requested = request.headers['access-control-request-headers'];
    return reply
      .code(204)
      .headers({
        'access-control-allow-methods': methods,
        // Clients send headers of their own, such as x-stainless-…, which the API ignores.
        'access-control-allow-headers':
          requested !== undefined && /^[\w\-, ]{1,2000}$/.test(requested) ? requested : requestHeaders,
        'access-control-max-age': '3600',
      })
      .send();
  });
}
