import { Type } from 'typebox';
import { scopes } from '../../domain/caller.ts';
import { nullable, objectKind, unixSeconds } from '../../http/schema-parts.ts';
import { scopeList } from './api-key-schema.ts';

const exampleToken = {
  object: 'token',
  token: 'kin_token_…',
  expires_at: 1794700600,
  scopes: ['videos:read'],
  task_id: 'task_01k9zqv3x4e8rb6t7y2m5n0p1q',
  livemode: true,
};

export const createTokenSchema = Type.Object(
  {
    scopes: Type.Optional(
      scopeList(
        'What the token may do. It can get only scopes that the key has. Default: the scopes of the key without ' +
          '`keys:manage`, `webhooks:manage` and `audit:read`, which must be named.',
      ),
    ),
    task_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The only task that the token is for. Default: all tasks of the project and mode, and creates.',
      }),
    ),
    expires_in_seconds: Type.Optional(
      Type.Integer({
        minimum: 10,
        maximum: 600,
        description: 'How long the token works, in seconds, unless the key expires before. Default: 600.',
      }),
    ),
  },
  {
    $id: 'CreateToken',
    description: 'The token to create. The body may be left out. Unknown fields are refused.',
    additionalProperties: false,
    examples: [{ scopes: ['videos:read'], task_id: exampleToken.task_id, expires_in_seconds: 600 }],
  },
);

export const tokenSchema = Type.Object(
  {
    object: objectKind('token'),
    token: Type.String({ description: 'The token itself. Send it like a key: `Authorization: Bearer <token>`.' }),
    expires_at: unixSeconds('When the token stops working.'),
    scopes: Type.Array(Type.Enum([...scopes], { type: 'string' }), { description: 'What the token may do.' }),
    task_id: nullable(Type.String({ description: 'The only task that the token is for. Null if it is for all.' })),
    livemode: Type.Boolean({ description: 'The mode of the key: true for live, false for test.' }),
  },
  {
    $id: 'Token',
    description: 'A short-lived token. It is not stored, and stops working at once when its key does.',
    examples: [exampleToken],
  },
);
