import type { FastifyInstance } from 'fastify';
import { isSigned } from './authorize-requests.ts';

const methods = 'GET, HEAD, POST, PATCH, DELETE';
const requestHeaders =
  'authorization, content-type, idempotency-key, if-none-match, if-range, last-event-id, prefer, range, x-request-id';
/** What a page may read beside the body. */
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
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-request-id',
  'x-should-retry',
].join(', ');

/**
 * Lets the pages of these origins, and of no other, call the API. No cookies are involved, so nothing is allowed that a key
 * does not allow. To be called before unknown routes are refused: a preflight asks with a method that hardly any route takes.
 */
export function shareWithOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins.map((origin) => new URL(origin).origin));

  app.addHook('onRequest', async (request, reply) => {
    // Signed URLs are for every page, and their routes say so themselves.
    if (!request.url.startsWith('/v1/') || isSigned(request)) return;
    reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !allowed.has(origin)) return;
    reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': exposedHeaders });
    const isPreflight =
      request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined && !request.is404;
    if (!isPreflight) return;
    const asked = request.headers['access-control-request-headers'];
    return reply
      .code(204)
      .headers({
        'access-control-allow-methods': methods,
        // Clients send headers of their own making, as x-stainless-…; they change nothing here.
        'access-control-allow-headers':
          asked !== undefined && /^[\w\-, ]{1,2000}$/.test(asked) ? asked : requestHeaders,
        'access-control-max-age': '3600',
      })
      .send();
  });
}
