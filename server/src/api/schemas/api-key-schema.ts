import { type Static, Type } from 'typebox';
import { scopes } from '../../domain/caller.ts';
import { listOf } from './list-schema.ts';
import { latestUnixSecond, nullable, unixSeconds } from './schema-parts.ts';

const scopeList = (description: string) =>
  Type.Array(Type.Enum([...scopes], { type: 'string' }), { minItems: 1, maxItems: 100, description });

const fields = {
  id: Type.String({ description: 'The id of the key, which is not the key.' }),
  object: Type.Literal('api_key'),
  name: Type.String({ description: 'What the key is for.' }),
  livemode: Type.Boolean({ description: 'False for keys of test mode. A key sees keys of its own mode only.' }),
  scopes: Type.Array(Type.Enum([...scopes], { type: 'string' }), { description: 'What the key may do.' }),
  prefix: Type.String({ description: 'How the key begins: `kin_live_` or `kin_test_`.' }),
  last_four: Type.String({ description: 'How the key ends, to tell keys apart.' }),
  created_at: unixSeconds('When it was made.'),
  expires_at: nullable(unixSeconds('From when on it is refused; after a rotation, when the overlap ends.')),
  revoked_at: nullable(unixSeconds('When it was revoked.')),
  last_used_at: nullable(unixSeconds('When it was last used, to the minute and a few seconds late.')),
  created_by_key_id: nullable(
    Type.String({ description: 'The key that created or rotated it; null if an operator of the installation did.' }),
  ),
};

const exampleKey = {
  id: 'key_01k9zqv3x4e8rb6t7y2m5n0p1q',
  object: 'api_key',
  name: 'render farm',
  livemode: true,
  scopes: ['videos:read', 'videos:write'],
  prefix: 'kin_live_',
  last_four: 'x7Qa',
  created_at: 1794700000,
  expires_at: null,
  revoked_at: null,
  last_used_at: 1794743220,
  created_by_key_id: null,
};

export const apiKeySchema = Type.Object(fields, {
  $id: 'ApiKey',
  description: 'An API key without its text, which is shown once and stored as a hash.',
  examples: [exampleKey],
});

export const issuedApiKeySchema = Type.Object(
  { ...fields, key: Type.String({ description: 'The key itself. It is never shown again.' }) },
  {
    $id: 'IssuedApiKey',
    description: 'An API key that was just made, with its text.',
    examples: [{ ...exampleKey, last_used_at: null, key: 'kin_live_…' }],
  },
);

export const apiKeyListSchema = listOf(apiKeySchema, 'ApiKeyList', [
  { object: 'list', data: [exampleKey], first_id: exampleKey.id, last_id: exampleKey.id, has_more: false },
]);

export const deletedApiKeySchema = Type.Object(
  { id: fields.id, object: Type.Literal('api_key.deleted'), deleted: Type.Literal(true) },
  {
    $id: 'DeletedApiKey',
    description: 'A key that was revoked. It stays in the list.',
    examples: [{ id: exampleKey.id, object: 'api_key.deleted', deleted: true }],
  },
);

export const createApiKeySchema = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, description: 'What the key is for.' }),
    scopes: Type.Optional(
      scopeList(
        'What the key may do: nothing that the key of the request may not. By default the same as that, but without ' +
          '`keys:manage`, `webhooks:manage` and `audit:read`, which must be named.',
      ),
    ),
    expires_at: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: latestUnixSecond,
        description:
          'From when on it is refused: no later than the key of the request, whose end is the default. Unix seconds.',
      }),
    ),
  },
  {
    $id: 'CreateApiKey',
    additionalProperties: false,
    examples: [{ name: 'render farm', scopes: ['videos:read', 'videos:write'] }],
  },
);

export const rotateApiKeySchema = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 86_400,
        description: 'How long the old key goes on working, unless it expires before.',
      }),
    ),
  },
  { $id: 'RotateApiKey', additionalProperties: false, examples: [{ overlap_seconds: 3600 }] },
);

export const apiKeyIdParameter = Type.Object({
  key_id: Type.String({ description: 'The `id` of a key.', examples: [exampleKey.id] }),
});

export type PublicApiKey = Static<typeof apiKeySchema>;
