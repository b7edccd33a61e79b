import { type Static, Type } from 'typebox';
import { eventTypes } from '../../domain/event.ts';
import { deadReasons, deliveryStatuses, testEventType } from '../../domain/webhook.ts';
import { listOf, pageParameters } from '../../http/list-schema.ts';
import { nullable, objectKind, unixSeconds } from '../../http/schema-parts.ts';
import { exampleTask } from './example-task.ts';

const deliveredTypes = [...eventTypes, testEventType] as const;

const fields = {
  id: Type.String({ description: 'The id of the delivery.' }),
  object: objectKind('webhook_delivery'),
  endpoint_id: nullable(
    Type.String({
      description: 'The id of the endpoint that receives the event. Null if a task’s `callback_url` does.',
    }),
  ),
  event_id: Type.String({ description: 'The id of the event, which every try sends as `webhook-id`.' }),
  event_type: Type.Enum([...deliveredTypes], {
    type: 'string',
    description: 'The type of the event. More values may be added.',
  }),
  task_id: nullable(Type.String({ description: 'The id of the task that the event is about. Null for a test event.' })),
  livemode: Type.Boolean({ description: 'True for an event of live mode, false for one of test mode.' }),
  status: Type.Enum([...deliveryStatuses], {
    type: 'string',
    description:
      '`pending`: more tries will follow. `delivered`: the receiver responded with 2xx. `dead`: the service has ' +
      'given up; you can redeliver the event.',
  }),
  dead_reason: nullable(
    Type.Enum([...deadReasons], {
      type: 'string',
      description:
        'Why the service has given up; null unless `status` is `dead`. `tries_used_up`: every try failed. `gone`: ' +
        'the receiver responded with 410. `endpoint_disabled`, `endpoint_deleted`: the endpoint was ' +
        'disabled or deleted. ' +
        '`callbacks_ended`: the receiver of the task’s callbacks responded with 410 to another event. ' +
        '`secret_unreadable`: the service could not sign the event. `task_gone`: the task no longer exists. `lost`: ' +
        'a fault of the service. More values may be added.',
    }),
  ),
  try_count: Type.Integer({ description: 'The number of tries so far.' }),
  next_try_at: nullable(unixSeconds('When the next try is due. Null if there will be none.')),
  created_at: unixSeconds('When the delivery was created.'),
  completed_at: nullable(unixSeconds('When the event was delivered or given up. Null before that.')),
};

const webhookTry = Type.Object({
  number: Type.Integer({ description: 'The number of the try, starting at 1.' }),
  at: unixSeconds('When the try started.'),
  duration_ms: Type.Integer({ description: 'How long the try took, in milliseconds.' }),
  status: nullable(
    Type.Integer({
      description: 'The HTTP status of the response; only 2xx is a success. Null if there was no response.',
    }),
  ),
  reason: nullable(
    Type.String({
      description: 'Why there was no response, such as `timeout` or `forbidden_address`. Null if there was one.',
    }),
  ),
  answer: nullable(
    Type.String({ description: 'The first 1024 bytes of the response body. Null if there was no response.' }),
  ),
});

const exampleDelivery = {
  id: 'del_01k9zqvb2he8rb6t7y2m5n0p1q',
  object: 'webhook_delivery',
  endpoint_id: 'whk_01k9zqv3x4e8rb6t7y2m5n0p1q',
  event_id: 'evt_01k9zqv9c4e8rb6t7y2m5n0p1q',
  event_type: 'video.completed',
  task_id: 'task_01k9zqv3x4e8rb6t7y2m5n0p1q',
  livemode: true,
  status: 'delivered',
  dead_reason: null,
  try_count: 2,
  next_try_at: null,
  created_at: 1794700045,
  completed_at: 1794700051,
};
const exampleTries = [
  { number: 1, at: 1794700045, duration_ms: 20000, status: null, reason: 'timeout', answer: null },
  { number: 2, at: 1794700050, duration_ms: 84, status: 204, reason: null, answer: '' },
];

const exampleBody = {
  id: exampleDelivery.event_id,
  type: exampleDelivery.event_type,
  created_at: exampleDelivery.created_at,
  data: exampleTask,
};

export const webhookDeliverySchema = Type.Object(fields, {
  $id: 'WebhookDelivery',
  description: 'The delivery of one event to one receiver.',
  examples: [exampleDelivery],
});

export const triedWebhookDeliverySchema = Type.Object(
  {
    ...fields,
    tries: Type.Array(webhookTry, { description: 'All tries in order.' }),
    body: nullable(
      Type.Unsafe<object>({
        type: 'object',
        additionalProperties: true,
        description:
          'The body of the request. Its URLs are signed anew for every try and for this response; everything else is as it ' +
          'was sent, unless the task has been deleted since. Null if the task is no longer kept.',
      }),
    ),
  },
  {
    $id: 'TriedWebhookDelivery',
    description: 'A delivery with all its tries.',
    examples: [{ ...exampleDelivery, tries: exampleTries, body: exampleBody }],
  },
);

export const webhookDeliveryListSchema = listOf(webhookDeliverySchema, 'WebhookDeliveryList', [
  {
    object: 'list',
    data: [exampleDelivery],
    first_id: exampleDelivery.id,
    last_id: exampleDelivery.id,
    has_more: false,
  },
]);

export const deliveryListQuery = Type.Object({
  ...pageParameters,
  endpoint_id: Type.Optional(Type.String({ description: 'Only deliveries to the endpoint with this id.' })),
  status: Type.Optional(
    Type.Enum([...deliveryStatuses], { type: 'string', description: 'Only deliveries with this status.' }),
  ),
  event_type: Type.Optional(
    Type.Enum([...deliveredTypes], { type: 'string', description: 'Only deliveries of events of this type.' }),
  ),
  task_id: Type.Optional(Type.String({ description: 'Only deliveries of events of the task with this id.' })),
});

export const deliveryIdParameter = Type.Object({
  delivery_id: Type.String({ description: 'The `id` of a webhook delivery.', examples: [exampleDelivery.id] }),
});

export type PublicWebhookDelivery = Static<typeof webhookDeliverySchema>;
export type PublicWebhookTry = Static<typeof webhookTry>;
