import { type Static, Type } from 'typebox';
import { auditActions } from '../domain/audit-event.ts';
import { listOf, pageParameters } from './list-schema.ts';
import { momentParameter, nullable, objectKind, unixSeconds } from './schema-parts.ts';

export const auditEventListQuery = Type.Object({
  ...pageParameters,
  action: Type.Optional(Type.Enum([...auditActions], { type: 'string', description: 'Only events with this action.' })),
  key_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Only events of requests with the key that has this id.',
    }),
  ),
  created_after: momentParameter('Only events at or after this time.'),
  created_before: momentParameter('Only events before this time.'),
});

const exampleEvent = {
  id: 'aud_01k9zqv3x4e8rb6t7y2m5n0p1q',
  object: 'audit_event',
  created_at: 1794700000,
  livemode: true,
  action: 'webhook_endpoint.changed',
  actor: { type: 'api_key', key_id: 'key_01k9zqv3x4e8rb6t7y2m5n0p1q', person_id: null },
  object_id: 'whk_01k9zqv3x4e8rb6t7y2m5n0p1q',
  address: '203.0.113.7',
  user_agent: 'curl/8.14.1',
  request_id: 'req_01k9zqv3x4e8rb6t7y2m5n0p1q',
  detail: { changed: ['description'] },
};

export const auditEventSchema = Type.Object(
  {
    id: Type.String({ description: 'The id of the event. Ids sort by time.' }),
    object: objectKind('audit_event'),
    created_at: unixSeconds('When the event happened.'),
    livemode: nullable(
      Type.Boolean({
        description: 'The mode that the event concerns: true for live, false for test. Null if it concerns both.',
      }),
    ),
    // Not an enum: new actions may be added.
    action: Type.String({
      description: 'What was done, such as `api_key.created` or `task.deleted`. More values may be added.',
    }),
    actor: Type.Object(
      {
        type: Type.Enum(['api_key', 'person', 'operator', 'unknown'], {
          type: 'string',
          description:
            '`api_key`: a request with a key, or with a token that the key made. `person`: a member of the project ' +
            'who used the console. `operator`: a person who runs this installation. `unknown`: a request with a key ' +
            'that was refused.',
        }),
        key_id: nullable(
          Type.String({
            description:
              'The id of the key of the request; for a `person`, the id that stands for them in this project and mode ' +
              'wherever a `key_id` does. Null if there is none.',
          }),
        ),
        person_id: nullable(Type.String({ description: 'The id of the person. Null unless `type` is `person`.' })),
      },
      { description: 'Who did it.' },
    ),
    object_id: nullable(
      Type.String({
        description: 'The id of what was changed, such as `key_…`, `whk_…` or `task_…`. Null if it has no id.',
      }),
    ),
    address: nullable(Type.String({ description: 'The IP address of the client. Null for operators.' })),
    user_agent: nullable(
      Type.String({ description: 'The first 200 characters of the `User-Agent` header. Null if there was none.' }),
    ),
    request_id: nullable(Type.String({ description: 'The `x-request-id` of the response. Null for operators.' })),
    detail: Type.Record(Type.String(), Type.Unknown(), {
      description: 'A few facts that depend on the action, such as the names of changed fields. Never a secret.',
    }),
  },
  {
    $id: 'AuditEvent',
    description: 'A change of the project, its keys, webhooks or content, or a use of a key that no longer works.',
    examples: [exampleEvent],
  },
);

export const auditEventListSchema = listOf(auditEventSchema, 'AuditEventList', [
  { object: 'list', data: [exampleEvent], first_id: exampleEvent.id, last_id: exampleEvent.id, has_more: false },
]);

export type PublicAuditEvent = Static<typeof auditEventSchema>;
