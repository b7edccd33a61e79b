import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { ErrorCode } from '../../errors.ts';
import { bodyReader } from '../../http/body-reader.ts';
import { errorResponses, keyErrors, parseErrors } from '../../http/error-responses.ts';
import { defaultPageLimit, pageParameters, presentPage } from '../../http/list-schema.ts';
import { refuseFor } from '../../http/problems.ts';
import { queryReader } from '../../http/query-reader.ts';
import { reference } from '../../http/schema-parts.ts';
import type { ApiParts } from '../api-parts.ts';
import {
  presentCallbackSecret,
  presentWebhookDelivery,
  presentWebhookEndpoint,
} from '../presenters/present-webhook.ts';
import { callerOf } from '../requests/caller-of.ts';
import { receiverUrlProblem } from '../requests/receiver-url-problem.ts';
import { webhookDeliverySchema } from '../schemas/webhook-delivery-schema.ts';
import {
  callbackSecretSchema,
  changeWebhookEndpointSchema,
  createWebhookEndpointSchema,
  deletedWebhookEndpointSchema,
  endpointIdParameter,
  issuedWebhookEndpointSchema,
  rotateSecretSchema,
  webhookEndpointListSchema,
  webhookEndpointSchema,
} from '../schemas/webhook-endpoint-schema.ts';

type Parts = Pick<ApiParts, 'webhooks' | 'refusalOfUrl'>;

const tags = ['Webhooks'];
const bodyErrors = [...parseErrors, 'invalid_parameter', 'unknown_parameter'] as const satisfies readonly ErrorCode[];

const listQuery = Type.Object(pageParameters);
const readListQuery = queryReader(listQuery);
const readCreate = bodyReader(createWebhookEndpointSchema);
const readChange = bodyReader(changeWebhookEndpointSchema);
const readRotate = bodyReader(rotateSecretSchema, { isOptional: true });

const defaultOverlapSeconds = 86_400;

/** /v1/webhook-endpoints: the receivers of events of the caller's project and mode, and the secrets that sign them. */
export function webhookEndpointRoutes(app: FastifyInstance, parts: Parts): void {
  collectionRoutes(app, parts);
  endpointRoutes(app, parts);
  callbackSecretRoutes(app, parts);
}

function collectionRoutes(app: FastifyInstance, { webhooks, refusalOfUrl }: Parts): void {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>();

  typed.get('/v1/webhook-endpoints', {
    schema: {
      operationId: 'listWebhookEndpoints',
      summary: 'List webhook endpoints',
      description: 'Returns the endpoints of the project and mode, newest first, including disabled ones.',
      tags,
      querystring: listQuery,
      response: {
        200: { ...reference(webhookEndpointListSchema), description: 'One page of endpoints.' },
        ...errorResponses([...keyErrors, 'invalid_parameter']),
      },
    },
    handler: async (request) => {
      const { limit = defaultPageLimit, after = null, order = 'desc' } = readListQuery(request.query);
      const { endpoints, hasMore } = await webhooks.listEndpoints(callerOf(request), { limit, after, order });
      return presentPage(endpoints.map(presentWebhookEndpoint), hasMore);
    },
  });

  typed.post('/v1/webhook-endpoints', {
    schema: {
      operationId: 'createWebhookEndpoint',
      summary: 'Create a webhook endpoint',
      description:
        'Registers a URL that receives the events of this project and mode by POST, signed as in Standard Webhooks ' +
        '1.0 (`webhook-id`, `webhook-timestamp`, `webhook-signature`). Only a response with 2xx is a success; ' +
        'otherwise the service [tries again](#description/webhooks). A project can have 20 endpoints per mode. The ' +
        'response is the only time the secret is shown.',
      tags,
      body: reference(createWebhookEndpointSchema),
      response: {
        200: { ...reference(issuedWebhookEndpointSchema), description: 'The new endpoint with its secret.' },
        ...errorResponses([...keyErrors, ...bodyErrors, 'missing_parameter', 'too_many_webhook_endpoints']),
      },
    },
    handler: async (request, reply) => {
      const { url, description = '', events = [] } = readCreate(request.body);
      const problem = receiverUrlProblem(url, 'url', refusalOfUrl);
      if (problem) throw refuseFor([problem]);
      const made = await webhooks.createEndpoint(callerOf(request), { url, description, events: [...new Set(events)] });
      reply.header('cache-control', 'no-store');
      return { ...presentWebhookEndpoint(made.endpoint), secret: made.secret };
    },
  });
}

function endpointRoutes(app: FastifyInstance, parts: Parts): void {
  readRoute(app, parts);
  changeRoute(app, parts);
  deleteRoute(app, parts);
  rotateRoute(app, parts);
  testRoute(app, parts);
}

function readRoute(app: FastifyInstance, { webhooks }: Parts): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get('/v1/webhook-endpoints/:endpoint_id', {
    schema: {
      operationId: 'getWebhookEndpoint',
      summary: 'Get a webhook endpoint',
      description: 'Returns the endpoint without its secret.',
      tags,
      params: endpointIdParameter,
      response: {
        200: { ...reference(webhookEndpointSchema), description: 'The endpoint.' },
        ...errorResponses([...keyErrors, 'not_found']),
      },
    },
    handler: async (request) =>
      presentWebhookEndpoint(await webhooks.readEndpoint(callerOf(request), request.params.endpoint_id)),
  });
}

function changeRoute(app: FastifyInstance, { webhooks, refusalOfUrl }: Parts): void {
  app.withTypeProvider<TypeBoxTypeProvider>().patch('/v1/webhook-endpoints/:endpoint_id', {
    schema: {
      operationId: 'changeWebhookEndpoint',
      summary: 'Change a webhook endpoint',
      description:
        'Changes the fields that the request names. Pending deliveries use a new URL from their next try. Events ' +
        'that a disabled endpoint missed are not sent later, but you can redeliver them.',
      tags,
      params: endpointIdParameter,
      body: reference(changeWebhookEndpointSchema),
      response: {
        200: { ...reference(webhookEndpointSchema), description: 'The changed endpoint.' },
        ...errorResponses([...keyErrors, ...bodyErrors, 'not_found']),
      },
    },
    handler: async (request) => {
      const { url, description, events, status } = readChange(request.body);
      const problem = url === undefined ? null : receiverUrlProblem(url, 'url', refusalOfUrl);
      if (problem) throw refuseFor([problem]);
      const patch = { url, description, events: events && [...new Set(events)], status };
      return presentWebhookEndpoint(
        await webhooks.changeEndpoint(callerOf(request), request.params.endpoint_id, patch),
      );
    },
  });
}

function deleteRoute(app: FastifyInstance, { webhooks }: Parts): void {
  app.withTypeProvider<TypeBoxTypeProvider>().delete('/v1/webhook-endpoints/:endpoint_id', {
    schema: {
      operationId: 'deleteWebhookEndpoint',
      summary: 'Delete a webhook endpoint',
      description:
        'Stops all deliveries to the endpoint, including pending ones. Its deliveries can still be read. Deleting it ' +
        'again has the same response.',
      tags,
      params: endpointIdParameter,
      response: {
        200: { ...reference(deletedWebhookEndpointSchema), description: 'The endpoint is deleted.' },
        ...errorResponses([...keyErrors, 'sign_in_again', ...parseErrors, 'not_found']),
      },
    },
    handler: async (request) => {
      const { endpoint_id: id } = request.params;
      await webhooks.deleteEndpoint(callerOf(request), id);
      return { id, object: 'webhook_endpoint.deleted' as const, deleted: true as const };
    },
  });
}

function rotateRoute(app: FastifyInstance, { webhooks }: Parts): void {
  app.withTypeProvider<TypeBoxTypeProvider>().post('/v1/webhook-endpoints/:endpoint_id/rotate-secret', {
    schema: {
      operationId: 'rotateWebhookSecret',
      summary: 'Rotate the secret of a webhook endpoint',
      description:
        'Creates a new secret. Until the overlap ends, every try has two signatures: one of the old secret and one ' +
        'of the new. The response is the only time the new secret is shown.',
      tags,
      params: endpointIdParameter,
      body: reference(rotateSecretSchema),
      response: {
        200: { ...reference(issuedWebhookEndpointSchema), description: 'The endpoint with its new secret.' },
        ...errorResponses([...keyErrors, 'sign_in_again', ...bodyErrors, 'not_found']),
      },
    },
    handler: async (request, reply) => {
      const { overlap_seconds: overlapSeconds = defaultOverlapSeconds } = readRotate(request.body);
      const { endpoint_id: id } = request.params;
      const { endpoint, secret } = await webhooks.rotateSecret(callerOf(request), id, overlapSeconds);
      reply.header('cache-control', 'no-store');
      return { ...presentWebhookEndpoint(endpoint), secret };
    },
  });
}

function testRoute(app: FastifyInstance, { webhooks }: Parts): void {
  app.withTypeProvider<TypeBoxTypeProvider>().post('/v1/webhook-endpoints/:endpoint_id/test', {
    schema: {
      operationId: 'testWebhookEndpoint',
      summary: 'Send a test event',
      description:
        'Sends an event of the type `webhook.test` to the endpoint, whatever its `events` are. The event is signed ' +
        'and logged like all others, but tried only once. A project may send 10 tests per minute. `data` is ' +
        '`{"object": "webhook_test", "endpoint_id": "whk_…", "livemode": true}`.',
      tags,
      params: endpointIdParameter,
      response: {
        200: {
          ...reference(webhookDeliverySchema),
          description: 'The delivery. Read it again to see the response of your endpoint.',
        },
        ...errorResponses([...keyErrors, ...parseErrors, 'not_found', 'webhook_endpoint_disabled']),
      },
    },
    handler: async (request) =>
      presentWebhookDelivery(await webhooks.sendTest(callerOf(request), request.params.endpoint_id)),
  });
}

function callbackSecretRoutes(app: FastifyInstance, { webhooks }: Parts): void {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>();

  typed.get('/v1/webhook-endpoints/callback-secret', {
    schema: {
      operationId: 'getCallbackSecret',
      summary: 'Get the callback secret',
      description:
        'Returns the secret that signs the requests to the `callback_url` of tasks of this project and mode.',
      tags,
      response: {
        200: { ...reference(callbackSecretSchema), description: 'The secret.' },
        ...errorResponses([...keyErrors, 'sign_in_again']),
      },
    },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      reply.header('cache-control', 'no-store');
      return presentCallbackSecret(await webhooks.callbackSecret(caller), caller.livemode);
    },
  });

  typed.post('/v1/webhook-endpoints/callback-secret/rotate', {
    schema: {
      operationId: 'rotateCallbackSecret',
      summary: 'Rotate the callback secret',
      description:
        'Creates a new secret. Until the overlap ends, every callback has two signatures: one of the old secret and ' +
        'one of the new.',
      tags,
      body: reference(rotateSecretSchema),
      response: {
        200: { ...reference(callbackSecretSchema), description: 'The new secret.' },
        ...errorResponses([...keyErrors, 'sign_in_again', ...bodyErrors]),
      },
    },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const { overlap_seconds: overlapSeconds = defaultOverlapSeconds } = readRotate(request.body);
      reply.header('cache-control', 'no-store');
      return presentCallbackSecret(await webhooks.rotateCallbackSecret(caller, overlapSeconds), caller.livemode);
    },
  });
}
