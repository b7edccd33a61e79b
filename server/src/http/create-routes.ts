import type { FastifyRequest } from 'fastify';

/** The routes that create a task. They count against the creation limit, all others against the read limit. */
const createRoutes: ReadonlySet<string> = new Set([
  '/v1/videos',
  '/v1/videos/text-to-video',
  '/v1/videos/image-to-video',
]);

export function isCreate({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'POST' && createRoutes.has(routeOptions.url ?? '');
}

/** Returns whether a request can be repeated without a second effect, whatever its outcome was. */
export function isRepeatable(request: FastifyRequest): boolean {
  if (request.method === 'GET' || request.method === 'HEAD') return true;
  return isCreate(request) && request.headers['idempotency-key'] !== undefined;
}
