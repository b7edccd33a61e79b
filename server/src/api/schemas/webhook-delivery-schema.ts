import { type Static, Type } from 'typebox';
import { eventTypes } from '../../domain/event.ts';
import { deadReasons, deliveryStatuses, testEventType } from '../../domain/webhook.ts';
import { exampleTask } from './example-task.ts';
import { listOf, pageParameters } from './list-schema.ts';
import { nullable, unixSeconds } from './schema-parts.ts';

const deliveredTypes = [...eventTypes, testEventType] as const;

const fields = {
  id: Type.String({ description: 'The id of the delivery.' }),
  object: Type.Literal('webhook_delivery'),
  endpoint_id: nullable(Type.String({ description: 'Where it goes; null for the callback of a task.' })),
  event_id: Type.String({ description: 'The `webhook-id` of every try.' }),
  event_type: Type.Enum([...deliveredTypes], { type: 'string', description: 'More types may be added.' }),
  task_id: nullable(Type.String({ description: 'What the event is about; null for a test event.' })),
  livemode: Type.Boolean({ description: 'False for deliveries of test mode.' }),
  status: Type.Enum([...deliveryStatuses], {
    type: 'string',
    description: '`dead`: it will not be tried again by itself.',
  }),
  dead_reason: nullable(
    Type.Enum([...deadReasons], { type: 'string', description: 'Why it is dead. More values may be added.' }),
  ),
  try_count: Type.Integer({ description: 'How many tries were made.' }),
  next_try_at: nullable(unixSeconds('When the next try is due; null where there will be none.')),
  created_at: unixSeconds('When it was begun.'),
  completed_at: nullable(unixSeconds('When it was delivered or given up.')),
};

const webhookTry = Type.Object({
  number: Type.Integer({ description: 'From 1.' }),
  at: unixSeconds('When it began.'),
  duration_ms: Type.Integer(),
  status: nullable(Type.Integer({ description: 'The status that was answered; only 2xx is success.' })),
  reason: nullable(Type.String({ description: 'Why there was no answer, as `timeout` or `forbidden_address`.' })),
  answer: nullable(Type.String({ description: 'The first 1024 bytes of the answer.' })),
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
  description: 'One event on its way to one place.',
  examples: [exampleDelivery],
});

export const triedWebhookDeliverySchema = Type.Object(
  {
    ...fields,
    tries: Type.Array(webhookTry, { description: 'All tries, the first one first.' }),
    body: nullable(
      Type.Unsafe<object>({
        type: 'object',
        additionalProperties: true,
        description:
          'The event as a try sends it. Its URLs are signed anew for every try and for this response; the rest is what ' +
          'was sent, unless the task was deleted since. Null if the task is not kept any more.',
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
  endpoint_id: Type.Optional(Type.String({ description: 'Only what goes to this endpoint.' })),
  status: Type.Optional(
    Type.Enum([...deliveryStatuses], { type: 'string', description: 'Only deliveries with this status.' }),
  ),
  event_type: Type.Optional(
    Type.Enum([...deliveredTypes], { type: 'string', description: 'Only events of this type.' }),
  ),
  task_id: Type.Optional(Type.String({ description: 'Only what is about this task.' })),
});

export const deliveryIdParameter = Type.Object({
  delivery_id: Type.String({ description: 'The `id` of a delivery.', examples: [exampleDelivery.id] }),
});

export type PublicWebhookDelivery = Static<typeof webhookDeliverySchema>;
export type PublicWebhookTry = Static<typeof webhookTry>;
