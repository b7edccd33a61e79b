import type { FastifyInstance } from 'fastify';
import { AppError } from '../../errors.ts';

/** Refuses what other sites could send with our cookie: a form can send neither this content type nor this header. */
export function refuseCrossSite(app: FastifyInstance, origins: readonly string[]): void {
  const own = new Set(origins);
  app.addHook('onRequest', async ({ method, headers }) => {
    if (method === 'GET' || method === 'HEAD') return;
    const isOurs =
      headers['x-kinora-console'] === '1' &&
      (headers.origin === undefined ? headers['sec-fetch-site'] === 'same-origin' : own.has(headers.origin));
    if (!isOurs) throw new AppError('cross_site_request');
    if (!/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) throw new AppError('unsupported_media_type');
  });
}
