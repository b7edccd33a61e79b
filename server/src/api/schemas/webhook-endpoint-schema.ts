import { type Static, Type } from 'typebox';
import { eventTypes } from '../../domain/event.ts';
import { listOf } from './list-schema.ts';
import { nullable, unixSeconds } from './schema-parts.ts';

/** The most characters that the URL of a webhook may have. */
export const longestReceiverUrl = 2048;

const eventList = (description: string) =>
  Type.Array(Type.Enum([...eventTypes], { type: 'string' }), { maxItems: 100, description });

const fields = {
  id: Type.String({ description: 'The id of the endpoint.' }),
  object: Type.Literal('webhook_endpoint'),
  url: Type.String({ description: 'Where events are sent.' }),
  description: Type.String({ description: 'What it is for.' }),
  events: eventList('Which events are sent there; empty: all.'),
  livemode: Type.Boolean({ description: 'False for endpoints of test mode, which get the events of test tasks only.' }),
  status: Type.Enum(['enabled', 'disabled'], { type: 'string' }),
  disabled_reason: nullable(
    Type.Enum(['gone', 'failing', 'by_caller'], {
      type: 'string',
      description:
        '`gone`: it answered 410. `failing`: a delivery used up its tries and nothing else reached it either.',
    }),
  ),
  failing_since: nullable(unixSeconds('Since when no try has succeeded; null after a success.')),
  created_at: unixSeconds('When it was made.'),
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
    'Where the events of a project and mode are sent. Its secret is shown when it is made and when it is rotated.',
  examples: [exampleEndpoint],
});

export const issuedWebhookEndpointSchema = Type.Object(
  {
    ...fields,
    secret: Type.String({
      description: 'Verifies the signatures, as Standard Webhooks 1.0 says. It is never shown again.',
    }),
  },
  {
    $id: 'IssuedWebhookEndpoint',
    description: 'A webhook endpoint with a secret that was just made.',
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
  { id: fields.id, object: Type.Literal('webhook_endpoint.deleted'), deleted: Type.Literal(true) },
  {
    $id: 'DeletedWebhookEndpoint',
    description: 'An endpoint that was deleted.',
    examples: [{ id: exampleEndpoint.id, object: 'webhook_endpoint.deleted', deleted: true }],
  },
);

const url = Type.String({
  minLength: 1,
  maxLength: longestReceiverUrl,
  description: 'A public https URL. It is checked now and again at every try.',
});
const description = Type.String({ maxLength: 500, description: 'What it is for.' });

export const createWebhookEndpointSchema = Type.Object(
  {
    url,
    description: Type.Optional(description),
    events: Type.Optional(eventList('Which events are sent there. Empty or absent: all.')),
  },
  {
    $id: 'CreateWebhookEndpoint',
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
      Type.Enum(['enabled', 'disabled'], { type: 'string', description: 'A disabled endpoint gets nothing.' }),
    ),
  },
  { $id: 'ChangeWebhookEndpoint', additionalProperties: false, examples: [{ status: 'enabled' }] },
);

export const rotateSecretSchema = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 86_400,
        description: 'How long the old secret signs beside the new one.',
      }),
    ),
  },
  { $id: 'RotateWebhookSecret', additionalProperties: false, examples: [{ overlap_seconds: 3600 }] },
);

export const callbackSecretSchema = Type.Object(
  {
    object: Type.Literal('callback_secret'),
    livemode: fields.livemode,
    secret: Type.String({ description: 'Verifies the signatures of what is sent to the callback_url of tasks.' }),
    previous_expires_at: nullable(unixSeconds('Until when the secret before it signs too.')),
    created_at: unixSeconds('When it was made.'),
  },
  {
    $id: 'CallbackSecret',
    description: 'What signs the callbacks of tasks: one secret for each project and mode.',
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
