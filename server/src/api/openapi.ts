import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import packageJson from '../../package.json' with { type: 'json' };
import { auditEventListSchema, auditEventSchema } from '../http/audit-event-schema.ts';
import { errorSchema } from '../http/error-schema.ts';
import { describeHeaders } from './describe-headers.ts';
import { describedWebhooks } from './described-webhooks.ts';
import { accessOf } from './hooks/route-access.ts';
import { summary } from './introduction.ts';
import { nameSchemas } from './name-schemas.ts';
import {
  apiKeyListSchema,
  apiKeySchema,
  createApiKeySchema,
  deletedApiKeySchema,
  issuedApiKeySchema,
  rotateApiKeySchema,
} from './schemas/api-key-schema.ts';
import { deletedTaskSchema } from './schemas/deleted-task-schema.ts';
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
import { createTokenSchema, tokenSchema } from './schemas/token-schema.ts';
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
import { shareComponents } from './share-components.ts';
import { describeTaskByStatus } from './task-by-status.ts';

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
  createTokenSchema,
  tokenSchema,
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
      const described = describeHeaders({ ...document.openapiObject, ...describedWebhooks });
      return describeTaskByStatus(nameSchemas(shareComponents(withPairsInQueries(described))));
    },
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Kinora',
        version: packageJson.version,
        description: summary(publicUrl),
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: publicUrl }],
      tags: [
        { name: 'Videos', description: 'Create videos, follow their tasks and download the files.' },
        { name: 'Models', description: 'The models of this installation and what they support.' },
        { name: 'Events', description: 'Server-sent events about tasks, as they happen.' },
        { name: 'Account', description: 'The limits and the usage of the project.' },
        { name: 'API keys', description: 'The keys of the project: their scopes, expiry, rotation and tokens.' },
        { name: 'Audit log', description: 'Who changed what in the project.' },
        { name: 'Files', description: 'Images that you upload once and use in many tasks.' },
        { name: 'Webhooks', description: 'URLs that receive events, and the log of deliveries.' },
        { name: 'Service', description: 'Health checks, for operators.' },
      ],
      components: {
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'kin_live_…, kin_test_… or kin_token_…',
            description:
              'An API key, or a token of one, sent as `Authorization: Bearer <key>`. Each operation lists the scope ' +
              'that it needs.',
          },
          signedUrl: {
            type: 'apiKey',
            in: 'query',
            name: 'signature',
            description: 'The signature of a URL in a task. The URL works for an hour and needs no key.',
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
  return [{ apiKey: access.scope === null ? [] : [access.scope] }, ...(access.orSignature ? [{ signedUrl: [] }] : [])];
}

interface Described {
  paths?: Record<string, Record<string, { parameters?: { in: string; schema?: { type?: string } }[] }>>;
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
