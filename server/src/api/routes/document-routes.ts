import { createHash } from 'node:crypto';
import apiReference from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { cacheDocuments } from '../hooks/cache-documents.ts';

/** A frame with a play button. Browsers ask for it by themselves when they show a page. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1b1b1b"/>' +
  '<path d="M12 9.5v13l11-6.5z" fill="#fff"/></svg>';

/** Serves GET /openapi.json and /docs, an API reference that loads nothing from other hosts. GET / leads to it. */
export function documentRoutes(app: FastifyInstance, publicUrl: string): void {
  restrictPages(app, new URL(publicUrl).origin);
  cacheDocuments(app, ['/favicon.ico', '/openapi.json', '/docs/', '/docs/js/scalar.js']);

  app.get('/', { schema: { hide: true } }, async (_request, reply) => reply.redirect('/docs/', 302));
  app.get('/favicon.ico', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('image/svg+xml').send(icon),
  );

  let description: string | null = null;
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    description ??= JSON.stringify(app.swagger());
    return reply.header('access-control-allow-origin', '*').type('application/json; charset=utf-8').send(description);
  });

  app.register(apiReference, {
    routePrefix: '/docs',
    configuration: {
      url: '../openapi.json',
      pageTitle: 'Kinora API',
      // Its own name, Models, is also that of a tag.
      modelsSectionLabel: 'Schemas',
      withDefaultFonts: false,
      telemetry: false,
      // Each of these would send readers to a third-party service.
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
      authentication: { preferredSecurityScheme: 'apiKey' },
    },
  });
}

/** Lets a page connect to this service only, and run only our file and the scripts that it was sent with. */
function restrictPages(app: FastifyInstance, origin: string): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!request.routeOptions.url?.startsWith('/docs')) return payload;
    const scripts = request.routeOptions.url === '/docs/' && typeof payload === 'string' ? inlineScripts(payload) : [];
    const hashes = scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
    // The reference sets styles of its elements by attributes.
    reply.header(
      'content-security-policy',
      `default-src 'none'; script-src ${["'self'", ...hashes].join(' ')}; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; ` +
        `font-src 'self' data:; connect-src 'self' ${origin}; media-src 'self' ${origin}; frame-ancestors 'none'; base-uri 'none'`,
    );
    return payload;
  });
}

function inlineScripts(page: string): string[] {
  return [...page.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].flatMap(([, script = '']) => script || []);
}
