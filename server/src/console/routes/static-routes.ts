import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import type { ConsoleParts } from '../console-parts.ts';

type Parts = Pick<ConsoleParts, 'files' | 'apiUrl' | 'storeOrigin'>;

/** The console's own files. Every path that is not a file is the page, which shows what the path means. */
export function staticRoutes(app: FastifyInstance, { files, apiUrl, storeOrigin }: Parts): void {
  const headers = pageHeaders([new URL(apiUrl).origin, ...(storeOrigin === null ? [] : [storeOrigin])]);
  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.replace(/[?#].*/s, '');
    const file = files.find(path);
    if (!file) throw new AppError('not_found');
    const { bytes, encoding } = await file.read(request.headers['accept-encoding'] ?? '');
    reply.headers({
      ...headers,
      'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(file.isCompressible ? { vary: 'Accept-Encoding' } : {}),
      ...(encoding === null ? {} : { 'content-encoding': encoding }),
    });
    return reply.type(file.contentType).send(bytes);
  };
  app.get('/', send);
  app.get('/*', send);
}

/** Nothing is loaded from elsewhere, nothing inline runs, and only the API and the store are called. */
function pageHeaders(origins: readonly string[]): Record<string, string> {
  const others = origins.join(' ');
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "font-src 'self'",
      `img-src 'self' blob: data: ${others}`,
      `media-src 'self' blob: ${others}`,
      `connect-src 'self' ${others}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'self'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  };
}
