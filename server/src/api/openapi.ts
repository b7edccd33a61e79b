import swagger from '@fastify/swagger';
import apiReference from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import packageJson from '../../package.json' with { type: 'json' };
import { errorSchema } from './schemas/error-schema.ts';
import { imageToVideoSchema, textToVideoSchema } from './schemas/generation-request-schema.ts';
import { taskSchema, videoSchema, warningSchema } from './schemas/task-schema.ts';

const namedSchemas = [taskSchema, videoSchema, warningSchema, errorSchema, textToVideoSchema, imageToVideoSchema];

/** Collects the routes that are made after this call into an OpenAPI document. */
export function describeRoutes(app: FastifyInstance, publicUrl: string): void {
  for (const schema of namedSchemas) app.addSchema(schema);
  app.register(swagger, {
    stripBasePath: false,
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Kinora',
        version: packageJson.version,
        description:
          'Generate videos from text and images. Create a task, read it until it is final, download the video.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: publicUrl }],
      tags: [
        { name: 'Videos', description: 'Tasks and their files.' },
        { name: 'Service', description: 'For whoever runs the service.' },
      ],
      components: {
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'kin_live_… or kin_test_…',
            description: 'An API key.',
          },
        },
      },
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `schema-${index}`,
    },
  });
}

/** GET /openapi.json, and /docs: a reference that loads nothing from anywhere else. */
export function documentRoutes(app: FastifyInstance, publicUrl: string): void {
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) =>
    reply.header('access-control-allow-origin', '*').send(app.swagger()),
  );

  const origin = new URL(publicUrl).origin;
  app.addHook('onSend', async (request, reply, payload) => {
    if (!request.routeOptions.url?.startsWith('/docs')) return payload;
    // The page holds its own styles and a starting script; it may talk to us and to nobody else.
    reply.header(
      'content-security-policy',
      `default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; ` +
        `font-src 'self' data:; connect-src 'self' ${origin}; media-src 'self' ${origin}; frame-ancestors 'none'; base-uri 'none'`,
    );
    return payload;
  });
  app.register(apiReference, {
    routePrefix: '/docs',
    configuration: {
      url: '../openapi.json',
      pageTitle: 'Kinora API',
      withDefaultFonts: false,
      telemetry: false,
      // Each of these would lead to a service of someone else.
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
      authentication: { preferredSecurityScheme: 'apiKey' },
    },
  });
}
