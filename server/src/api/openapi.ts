import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import packageJson from '../../package.json' with { type: 'json' };
import { describedWebhooks } from './described-webhooks.ts';
import { accessOf } from './hooks/route-access.ts';
import {
  apiKeyListSchema,
  apiKeySchema,
  createApiKeySchema,
  deletedApiKeySchema,
  issuedApiKeySchema,
  rotateApiKeySchema,
} from './schemas/api-key-schema.ts';
import { auditEventListSchema, auditEventSchema } from './schemas/audit-event-schema.ts';
import { deletedTaskSchema } from './schemas/deleted-task-schema.ts';
import { errorSchema } from './schemas/error-schema.ts';
import { estimateSchema } from './schemas/estimate-schema.ts';
import { eventSchema } from './schemas/event-schema.ts';
import { deletedFileSchema, fileSchema, uploadSchema } from './schemas/file-schema.ts';
import { imageToVideoSchema, textToVideoSchema } from './schemas/generation-request-schema.ts';
import { limitsSchema } from './schemas/limits-schema.ts';
import { modelListSchema, modelSchema } from './schemas/model-schema.ts';
import { openAiVideoFormSchema, openAiVideoSchema } from './schemas/openai-video-schema.ts';
import { taskListSchema } from './schemas/task-list-schema.ts';
import { priceSchema, taskSchema, videoSchema, warningSchema } from './schemas/task-schema.ts';
import { timelineSchema } from './schemas/timeline-schema.ts';
import { usageBucketSchema, usageSchema } from './schemas/usage-schema.ts';
import {
  triedWebhookDeliverySchema,
  webhookDeliveryListSchema,
  webhookDeliverySchema,
} from './schemas/webhook-delivery-schema.ts';
import {
  callbackSecretSchema,
  changeWebhookEndpointSchema,
  createWebhookEndpointSchema,
  deletedWebhookEndpointSchema,
  issuedWebhookEndpointSchema,
  rotateSecretSchema,
  webhookEndpointListSchema,
  webhookEndpointSchema,
} from './schemas/webhook-endpoint-schema.ts';

const namedSchemas = [
  webhookEndpointSchema,
  issuedWebhookEndpointSchema,
  webhookEndpointListSchema,
  deletedWebhookEndpointSchema,
  createWebhookEndpointSchema,
  changeWebhookEndpointSchema,
  rotateSecretSchema,
  callbackSecretSchema,
  webhookDeliverySchema,
  triedWebhookDeliverySchema,
  webhookDeliveryListSchema,
  eventSchema,
  estimateSchema,
  usageBucketSchema,
  usageSchema,
  openAiVideoSchema,
  openAiVideoFormSchema,
  fileSchema,
  deletedFileSchema,
  uploadSchema,
  auditEventSchema,
  auditEventListSchema,
  apiKeySchema,
  issuedApiKeySchema,
  apiKeyListSchema,
  deletedApiKeySchema,
  createApiKeySchema,
  rotateApiKeySchema,
  taskSchema,
  videoSchema,
  warningSchema,
  priceSchema,
  modelSchema,
  modelListSchema,
  errorSchema,
  textToVideoSchema,
  imageToVideoSchema,
  taskListSchema,
  deletedTaskSchema,
  timelineSchema,
  limitsSchema,
];

/** Collects the routes that are registered after this call into an OpenAPI document. */
export function describeRoutes(app: FastifyInstance, publicUrl: string): void {
  for (const schema of namedSchemas) app.addSchema(schema);
  app.register(swagger, {
    stripBasePath: false,
    convertConstToEnum: false,
    transform: ({ schema, url, route }) => ({
      schema: { ...schema, security: securityOf([route.method].flat()[0] ?? '', url) },
      url,
    }),
    transformObject: (document) => {
      if (!('openapiObject' in document)) throw new TypeError('only OpenAPI 3 is supported');
      return withPairsInQueries(withSharedExamples({ ...document.openapiObject, ...describedWebhooks }));
    },
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
        { name: 'Models', description: 'What can be asked for.' },
        { name: 'Events', description: 'What happens, while it happens.' },
        { name: 'Account', description: 'Limits, usage and keys of the project.' },
        { name: 'API keys', description: 'Keys of the project: scopes, expiry, rotation.' },
        { name: 'Audit log', description: 'Who changed what in the project.' },
        { name: 'Files', description: 'Images that are uploaded once and used by many tasks.' },
        { name: 'Webhooks', description: 'Where events are sent, and what became of them.' },
        { name: 'Service', description: 'For operators.' },
      ],
      components: {
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'kin_live_… or kin_test_…',
            description: 'An API key. The scope that an operation needs stands beside it.',
          },
          signedUrl: {
            type: 'apiKey',
            in: 'query',
            name: 'signature',
            description: 'A signed URL out of a task. It works for an hour and needs no header.',
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

/** Returns the security of a route, which authorize-requests.ts enforces: both read route-access.ts. */
function securityOf(method: string, url: string): Record<string, readonly string[]>[] {
  const access = accessOf(method, url);
  if (access === null || typeof access === 'string') return [];
  return [{ apiKey: [access.scope] }, ...(access.orSignature ? [{ signedUrl: [] }] : [])];
}

interface Described {
  paths?: Record<
    string,
    Record<
      string,
      {
        parameters?: { in: string; schema?: { type?: string }; style?: string; explode?: boolean }[];
        responses?: Record<string, { content?: Record<string, { examples?: object }> }>;
      }
    >
  >;
  components?: object;
}

/** Moves the examples of errors, which are the same on every route, into the components and refers to them. */
function withSharedExamples<Document extends object>(document: Document): Document {
  const examples: Record<string, unknown> = {};
  // The plug-in's types lack the `content` of responses and mix several versions of OpenAPI.
  const { paths = {}, components } = document as Described;
  const responses = Object.values(paths).flatMap((path) =>
    Object.values(path).flatMap((operation) => Object.values(operation.responses ?? {})),
  );
  for (const content of responses.flatMap((response) => Object.values(response.content ?? {}))) {
    const named = Object.entries(content.examples ?? {});
    if (named.length === 0) continue;
    Object.assign(examples, content.examples);
    content.examples = Object.fromEntries(named.map(([name]) => [name, { $ref: `#/components/examples/${name}` }]));
  }
  return { ...document, components: { ...components, examples } };
}

/** Says that an object in a query is written as `name[key]=value`. The plug-in has one style for a whole query only. */
function withPairsInQueries<Document extends object>(document: Document): Document {
  const { paths = {} } = document as Described;
  const parameters = Object.values(paths).flatMap((path) =>
    Object.values(path).flatMap((operation) => operation.parameters ?? []),
  );
  for (const parameter of parameters) {
    if (parameter.in === 'query' && parameter.schema?.type === 'object')
      Object.assign(parameter, { style: 'deepObject', explode: true });
  }
  return document;
}
