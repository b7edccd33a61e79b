import { type Static, Type } from 'typebox';
import { auditActions } from '../../domain/audit-event.ts';
import { listOf, pageParameters } from './list-schema.ts';
import { momentParameter, nullable, unixSeconds } from './schema-parts.ts';

export const auditEventListQuery = Type.Object({
  ...pageParameters,
  action: Type.Optional(Type.Enum([...auditActions], { type: 'string', description: 'Only events with this action.' })),
  key_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Only events of requests with this key.' }),
  ),
  created_after: momentParameter('Only events that happened then or later.'),
  created_before: momentParameter('Only events that happened before.'),
});

const exampleEvent = {
  id: 'aud_01k9zqv3x4e8rb6t7y2m5n0p1q',
  object: 'audit_event',
  created_at: 1794700000,
  livemode: true,
  action: 'webhook_endpoint.changed',
  actor: { type: 'api_key', key_id: 'key_01k9zqv3x4e8rb6t7y2m5n0p1q' },
  object_id: 'whk_01k9zqv3x4e8rb6t7y2m5n0p1q',
  address: '203.0.113.7',
  user_agent: 'curl/8.14.1',
  request_id: 'req_01k9zqv3x4e8rb6t7y2m5n0p1q',
  detail: { changed: ['description'] },
};

export const auditEventSchema = Type.Object(
  {
    id: Type.String({ description: 'The id of the event. Ids sort by time.' }),
    object: Type.Literal('audit_event'),
    created_at: unixSeconds('When it happened.'),
    livemode: nullable(Type.Boolean({ description: 'The mode that it concerns; null if it concerns both.' })),
    // Not an enum: new actions may be added.
    action: Type.String({ description: 'What was done, such as `api_key.created` or `task.deleted`.' }),
    actor: Type.Object(
      {
        type: Type.Enum(['api_key', 'operator', 'unknown'], {
          type: 'string',
          description:
            '`operator`: a person who runs this installation. `unknown`: somebody with a key that was refused.',
        }),
        key_id: nullable(Type.String({ description: 'The key of the request; null unless the type is `api_key`.' })),
      },
      { description: 'Who did it.' },
    ),
    object_id: nullable(
      Type.String({
        description: 'The id of what was changed, such as `key_…`, `whk_…` or `task_…`; null if it has none.',
      }),
    ),
    address: nullable(Type.String({ description: 'The IP address of the client; null for operators.' })),
    user_agent: nullable(Type.String({ description: 'The first 200 characters of the User-Agent header.' })),
    request_id: nullable(Type.String({ description: 'The `X-Request-Id` of the response.' })),
    detail: Type.Record(Type.String(), Type.Unknown(), {
      description: 'A few facts that depend on the action, such as the names of changed fields. Never a secret.',
    }),
  },
  {
    $id: 'AuditEvent',
    description: 'Something that was done to the project or its secrets.',
    examples: [exampleEvent],
  },
);

export const auditEventListSchema = listOf(auditEventSchema, 'AuditEventList', [
  { object: 'list', data: [exampleEvent], first_id: exampleEvent.id, last_id: exampleEvent.id, has_more: false },
]);

export type PublicAuditEvent = Static<typeof auditEventSchema>;
