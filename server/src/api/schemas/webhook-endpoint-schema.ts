import { type Static, Type } from 'typebox';
import { eventTypes } from '../../domain/event.ts';
import { listOf } from '../../http/list-schema.ts';
import { deletedMark, nullable, objectKind, unixSeconds } from '../../http/schema-parts.ts';

/** The most characters that the URL of a webhook may have. */
export const longestReceiverUrl = 2048;

const eventList = (description: string) =>
  Type.Array(Type.Enum([...eventTypes], { type: 'string' }), { maxItems: 100, description });

const fields = {
  id: Type.String({ description: 'The id of the endpoint.' }),
  object: objectKind('webhook_endpoint'),
  url: Type.String({ description: 'The URL that receives the events.' }),
  description: Type.String({ description: 'What the endpoint is for, in your words.' }),
  events: eventList('The events that the endpoint receives. An empty list means all.'),
  livemode: Type.Boolean({
    description: 'True for an endpoint of live mode, false for one of test mode. It receives only events of its mode.',
  }),
  status: Type.Enum(['enabled', 'disabled'], {
    type: 'string',
    description: 'Whether the endpoint receives events. A disabled endpoint misses them; they can be redelivered.',
  }),
  disabled_reason: nullable(
    Type.Enum(['gone', 'failing', 'by_caller'], {
      type: 'string',
      description:
        'Why the endpoint is disabled; null if it is not. `gone`: it responded with 410. `failing`: all tries of a ' +
        'delivery failed, and nothing else reached the endpoint in that time. `by_caller`: a request disabled it.',
    }),
  ),
  failing_since: nullable(unixSeconds('When the first try after the last success failed. Null if none has.')),
  created_at: unixSeconds('When the endpoint was created.'),
};

const exampleEndpoint = {
  id: 'whk_01k9zqv3x4e8rb6t7y2m5n0p1q',
  object: 'webhook_endpoint',
  url: 'https://hooks.example.com/kinora',
  description: 'video library',
  events: ['video.completed', 'video.failed'],
  livemode: true,
  status: 'enabled',
  disabled_reason: null,
  failing_since: null,
  created_at: 1794700000,
};
const exampleSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

export const webhookEndpointSchema = Type.Object(fields, {
  $id: 'WebhookEndpoint',
  description:
    'A receiver of the events of a project and mode. Its secret is shown only when it is created or rotated.',
  examples: [exampleEndpoint],
});

export const issuedWebhookEndpointSchema = Type.Object(
  {
    ...fields,
    secret: Type.String({
      description:
        'The secret that verifies the signatures, as in Standard Webhooks 1.0. It is never shown again: store it now.',
    }),
  },
  {
    $id: 'IssuedWebhookEndpoint',
    description: 'A webhook endpoint with its new secret.',
    examples: [{ ...exampleEndpoint, secret: exampleSecret }],
  },
);

export const webhookEndpointListSchema = listOf(webhookEndpointSchema, 'WebhookEndpointList', [
  {
    object: 'list',
    data: [exampleEndpoint],
    first_id: exampleEndpoint.id,
    last_id: exampleEndpoint.id,
    has_more: false,
  },
]);

export const deletedWebhookEndpointSchema = Type.Object(
  { id: fields.id, object: objectKind('webhook_endpoint.deleted'), deleted: deletedMark() },
  {
    $id: 'DeletedWebhookEndpoint',
    description: 'Confirmation that an endpoint is deleted.',
    examples: [{ id: exampleEndpoint.id, object: 'webhook_endpoint.deleted', deleted: true }],
  },
);

const url = Type.String({
  minLength: 1,
  maxLength: longestReceiverUrl,
  description: 'A public https URL. The service checks it now and again at every try.',
});
const description = Type.String({ maxLength: 500, description: 'What the endpoint is for, in your words.' });

export const createWebhookEndpointSchema = Type.Object(
  {
    url,
    description: Type.Optional(description),
    events: Type.Optional(eventList('The events that the endpoint receives. An empty or absent list means all.')),
  },
  {
    $id: 'CreateWebhookEndpoint',
    description: 'The endpoint to create. Unknown fields are refused.',
    additionalProperties: false,
    examples: [{ url: exampleEndpoint.url, events: exampleEndpoint.events }],
  },
);

export const changeWebhookEndpointSchema = Type.Object(
  {
    url: Type.Optional(url),
    description: Type.Optional(description),
    events: Type.Optional(
      eventList('Which events are sent there. Empty: all. To receive none, set `status` to `disabled`.'),
    ),
    status: Type.Optional(
      Type.Enum(['enabled', 'disabled'], {
        type: 'string',
        description: '`disabled` pauses the endpoint, `enabled` resumes it.',
      }),
    ),
  },
  {
    $id: 'ChangeWebhookEndpoint',
    description: 'The fields to change. Fields that are absent stay as they are. Unknown fields are refused.',
    additionalProperties: false,
    examples: [{ status: 'enabled' }],
  },
);

export const rotateSecretSchema = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        description: 'How long the old secret still signs next to the new one, in seconds. Default: 86400.',
      }),
    ),
  },
  {
    $id: 'RotateWebhookSecret',
    description: 'How to replace the secret. The body may be left out.',
    additionalProperties: false,
    examples: [{ overlap_seconds: 3600 }],
  },
);

export const callbackSecretSchema = Type.Object(
  {
    object: objectKind('callback_secret'),
    livemode: Type.Boolean({ description: 'True for the secret of live mode, false for that of test mode.' }),
    secret: Type.String({
      description: 'The secret that verifies the signatures of requests to the `callback_url` of tasks.',
    }),
    previous_expires_at: nullable(
      unixSeconds('Until when the previous secret signs as well. Null if it no longer does.'),
    ),
    created_at: unixSeconds('When the secret was created.'),
  },
  {
    $id: 'CallbackSecret',
    description: 'The secret that signs the callbacks of tasks. Each project has one per mode.',
    examples: [
      {
        object: 'callback_secret',
        livemode: true,
        secret: exampleSecret,
        previous_expires_at: null,
        created_at: 1794700000,
      },
    ],
  },
);

export const endpointIdParameter = Type.Object({
  endpoint_id: Type.String({ description: 'The `id` of a webhook endpoint.', examples: [exampleEndpoint.id] }),
});

export type PublicWebhookEndpoint = Static<typeof webhookEndpointSchema>;
export type PublicCallbackSecret = Static<typeof callbackSecretSchema>;
