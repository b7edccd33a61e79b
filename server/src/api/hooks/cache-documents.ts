import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { isUnchanged } from '../requests/is-unchanged.ts';

interface Document {
  bytes: Buffer;
  zippedBytes: Buffer;
  /** Weak, because both encodings share it. */
  etag: string;
}

/** Sends the documents of these routes, which never change while the process runs, from memory and with an ETag. */
export function cacheDocuments(app: FastifyInstance, routes: readonly string[]): void {
  const documents = new Map<string, Promise<Document>>();

  app.addHook('onSend', async (request, reply, payload) => {
    const route = request.routeOptions.url ?? '';
    if (!routes.includes(route) || reply.statusCode !== 200 || typeof payload !== 'string') return payload;
    const pending = documents.get(route) ?? prepare(payload);
    documents.set(route, pending);
    const { bytes, zippedBytes, etag } = await pending;
    // Browsers ask again after five minutes, so that a new version of the service is soon seen.
    reply.headers({ etag, vary: 'accept-encoding', 'cache-control': 'public, max-age=300' });
    if (request.method === 'GET' && isUnchanged(request.headers['if-none-match'], etag)) {
      reply.code(304);
      return null;
    }
    if (!acceptsGzip(request.headers['accept-encoding'])) return bytes;
    reply.header('content-encoding', 'gzip');
    return zippedBytes;
  });
}

async function prepare(text: string): Promise<Document> {
  const bytes = Buffer.from(text);
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { bytes, zippedBytes: await promisify(gzip)(bytes), etag: `W/"${digest}"` };
}

function acceptsGzip(header: string | string[] | undefined): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(header ?? ''));
}
