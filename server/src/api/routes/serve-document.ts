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

interface DocumentOptions {
  type: string;
  headers?: Record<string, string>;
  /** Returns the text, which never changes while the process runs. */
  read: () => Promise<string>;
}

/** Serves a document at this URL with an ETag. It is read when it is first requested, and then sent from memory. */
export function serveDocument(app: FastifyInstance, url: string, { type, headers, read }: DocumentOptions): void {
  let pending: Promise<Document> | null = null;
  app.get(url, { schema: { hide: true } }, async (request, reply) => {
    pending ??= read()
      .then(prepare)
      .catch((error: unknown) => {
        pending = null; // the next request reads it again
        throw error;
      });
    const { bytes, zippedBytes, etag } = await pending;
    // Browsers ask again after five minutes, so that a new version of the service is soon seen.
    reply.headers({ ...headers, etag, vary: 'accept-encoding', 'cache-control': 'public, max-age=300' }).type(type);
    if (request.method === 'GET' && isUnchanged(request.headers['if-none-match'], etag)) return reply.code(304).send();
    if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(bytes);
    return reply.header('content-encoding', 'gzip').send(zippedBytes);
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
