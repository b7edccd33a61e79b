import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { readDocsScript } from '../docs-script.ts';
import { readOpenapi, readReference } from '../read-openapi.ts';
import { serveDocument } from './serve-document.ts';

/** A frame with a play button. Browsers ask for it by themselves when they show a page. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1b1b1b"/>' +
  '<path d="M12 9.5v13l11-6.5z" fill="#fff"/></svg>';
const pageFile = new URL('../docs-page.html', import.meta.url);

/** Serves GET /openapi.json and /docs, an API reference that loads nothing from other hosts. GET / leads to it. */
export function documentRoutes(app: FastifyInstance, publicUrl: string): void {
  restrictPages(app, new URL(publicUrl).origin);
  app.get('/', { schema: { hide: true } }, async (_request, reply) => reply.redirect('/docs/', 302));
  app.get('/docs', { schema: { hide: true } }, async (_request, reply) => reply.redirect('/docs/', 301));
  serveDocument(app, '/favicon.ico', { type: 'image/svg+xml', read: async () => icon });
  serveDocument(app, '/openapi.json', {
    type: 'application/json; charset=utf-8',
    headers: { 'access-control-allow-origin': '*' },
    read: () => readOpenapi(publicUrl),
  });
  serveDocument(app, '/docs/reference.json', {
    type: 'application/json; charset=utf-8',
    read: () => readReference(publicUrl),
  });
  serveDocument(app, '/docs/', { type: 'text/html; charset=utf-8', read: () => readFile(pageFile, 'utf8') });
  serveDocument(app, '/docs/js/scalar.js', {
    type: 'application/javascript; charset=utf-8',
    read: readDocsScript,
  });
}

/** Lets a page connect to this service only, and run only our file and the scripts that it was sent with. */
function restrictPages(app: FastifyInstance, origin: string): void {
  let hashes: Promise<string[]> | null = null;
  const readHashes = () =>
    hashInlineScripts().catch((error: unknown) => {
      hashes = null; // the next request reads the page again
      throw error;
    });
  app.addHook('onSend', async (request, reply, payload) => {
    const { url } = request.routeOptions;
    if (!url?.startsWith('/docs')) return payload;
    const inline = url === '/docs/' ? await (hashes ??= readHashes()) : [];
    // The reference sets styles of its elements by attributes.
    reply.header(
      'content-security-policy',
      `default-src 'none'; script-src ${["'self'", ...inline].join(' ')}; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; ` +
        `font-src 'self' data:; connect-src 'self' ${origin}; media-src 'self' ${origin}; frame-ancestors 'none'; base-uri 'none'`,
    );
    return payload;
  });
}

async function hashInlineScripts(): Promise<string[]> {
  const page = await readFile(pageFile, 'utf8');
  const scripts = [...page.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].flatMap(([, script = '']) => script || []);
  return scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
}
