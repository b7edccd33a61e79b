import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { errorResponses, keyErrors, parseErrors } from '../../http/error-responses.ts';
import { defaultPageLimit, presentPage } from '../../http/list-schema.ts';
import { queryReader } from '../../http/query-reader.ts';
import { reference } from '../../http/schema-parts.ts';
import type { ApiParts } from '../api-parts.ts';
import { presentWebhookDelivery, presentWebhookTry } from '../presenters/present-webhook.ts';
import { callerOf } from '../requests/caller-of.ts';
import {
  deliveryIdParameter,
  deliveryListQuery,
  triedWebhookDeliverySchema,
  webhookDeliveryListSchema,
  webhookDeliverySchema,
} from '../schemas/webhook-delivery-schema.ts';

type Parts = Pick<ApiParts, 'webhooks'>;

const tags = ['Webhooks'];
const readListQuery = queryReader(deliveryListQuery);

/** /v1/webhook-deliveries: lists and reads deliveries, and sends them again on request. */
export function webhookDeliveryRoutes(app: FastifyInstance, { webhooks }: Parts): void {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>();

  typed.get('/v1/webhook-deliveries', {
    schema: {
      operationId: 'listWebhookDeliveries',
      summary: 'List webhook deliveries',
      description: 'Returns the deliveries of the project and mode, newest first. They are kept as long as tasks are.',
      tags,
      querystring: deliveryListQuery,
      response: {
        200: { ...reference(webhookDeliveryListSchema), description: 'One page of deliveries.' },
        ...errorResponses([...keyErrors, 'invalid_parameter']),
      },
    },
    handler: async (request) => {
      const { limit = defaultPageLimit, after = null, order = 'desc', ...named } = readListQuery(request.query);
      const filter = {
        endpointId: named.endpoint_id,
        status: named.status,
        eventType: named.event_type,
        taskId: named.task_id,
      };
      const query = { limit, after, order, filter };
      const { deliveries, hasMore } = await webhooks.listDeliveries(callerOf(request), query);
      return presentPage(deliveries.map(presentWebhookDelivery), hasMore);
    },
  });

  typed.get('/v1/webhook-deliveries/:delivery_id', {
    schema: {
      operationId: 'getWebhookDelivery',
      summary: 'Get a webhook delivery',
      description:
        'Returns the delivery with all its tries: the status, the duration and the first 1 kB of each response.',
      tags,
      params: deliveryIdParameter,
      response: {
        200: { ...reference(triedWebhookDeliverySchema), description: 'The delivery with its tries.' },
        ...errorResponses([...keyErrors, 'not_found']),
      },
    },
    handler: async (request) => {
      const { delivery, tries, body } = await webhooks.readDelivery(callerOf(request), request.params.delivery_id);
      return { ...presentWebhookDelivery(delivery), tries: tries.map(presentWebhookTry), body };
    },
  });

  typed.post('/v1/webhook-deliveries/:delivery_id/redeliver', {
    schema: {
      operationId: 'redeliverWebhook',
      summary: 'Redeliver an event',
      description:
        'Creates a new delivery of the same event to the same receiver, whatever the status of this one. The ' +
        'receiver sees the same `webhook-id`. A project may redeliver 60 times per minute, and have at most 10,000 ' +
        'pending deliveries per mode.',
      tags,
      params: deliveryIdParameter,
      response: {
        200: { ...reference(webhookDeliverySchema), description: 'The new delivery.' },
        ...errorResponses([...keyErrors, ...parseErrors, 'not_found', 'webhook_endpoint_disabled']),
      },
    },
    handler: async (request) =>
      presentWebhookDelivery(await webhooks.redeliver(callerOf(request), request.params.delivery_id)),
  });
}
