import { type Static, Type } from 'typebox';
import { scopes } from '../../domain/caller.ts';
import { listOf } from '../../http/list-schema.ts';
import { deletedMark, latestUnixSecond, nullable, objectKind, unixSeconds } from '../../http/schema-parts.ts';

export const scopeList = (description: string) =>
  Type.Array(Type.Enum([...scopes], { type: 'string' }), { minItems: 1, maxItems: 100, description });

const fields = {
  id: Type.String({ description: 'The id of the key. It is not the key itself.' }),
  object: objectKind('api_key'),
  name: Type.String({ description: 'The name that the key was given, for people.' }),
  livemode: Type.Boolean({
    description: 'True for a live key, false for a test key. A key sees only keys of its own mode.',
  }),
  scopes: Type.Array(Type.Enum([...scopes], { type: 'string' }), {
    description: 'What the key may do. Each operation names the scope that it needs.',
  }),
  prefix: Type.String({ description: 'The start of the key: `kin_live_` or `kin_test_`.' }),
  last_four: Type.String({ description: 'The last four characters of the key, to tell keys apart.' }),
  created_at: unixSeconds('When the key was created.'),
  expires_at: nullable(
    unixSeconds('When the key stops working; after a rotation, when the overlap ends. Null if it does not expire.'),
  ),
  revoked_at: nullable(unixSeconds('When the key was revoked. Null if it was not.')),
  last_used_at: nullable(
    unixSeconds('When the key was last used, to the minute and with a few seconds of delay. Null if it never was.'),
  ),
  created_by_key_id: nullable(
    Type.String({
      description: 'The id of the key that created or rotated this one. Null if an operator of the installation did.',
    }),
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
  description: 'An API key. The key itself is shown only once, when it is created.',
  examples: [exampleKey],
});

export const issuedApiKeySchema = Type.Object(
  { ...fields, key: Type.String({ description: 'The key itself. It is never shown again: store it now.' }) },
  {
    $id: 'IssuedApiKey',
    description: 'An API key that was just created, with the key itself.',
    examples: [{ ...exampleKey, last_used_at: null, key: 'kin_live_…' }],
  },
);

export const apiKeyListSchema = listOf(apiKeySchema, 'ApiKeyList', [
  { object: 'list', data: [exampleKey], first_id: exampleKey.id, last_id: exampleKey.id, has_more: false },
]);

export const deletedApiKeySchema = Type.Object(
  { id: fields.id, object: objectKind('api_key.deleted'), deleted: deletedMark() },
  {
    $id: 'DeletedApiKey',
    description: 'Confirmation that a key is revoked. It stays in the list.',
    examples: [{ id: exampleKey.id, object: 'api_key.deleted', deleted: true }],
  },
);

export const createApiKeySchema = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, description: 'A name that says what the key is for.' }),
    scopes: Type.Optional(
      scopeList(
        'What the key may do. It can get only scopes that the key of the request has. Default: the same scopes without ' +
          '`keys:manage`, `webhooks:manage` and `audit:read`, which must be named.',
      ),
    ),
    expires_at: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: latestUnixSecond,
        description:
          'When the key stops working: at the latest when the key of the request does, which is the default. Unix ' +
          'seconds.',
      }),
    ),
  },
  {
    $id: 'CreateApiKey',
    description: 'The key to create. Unknown fields are refused.',
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
        description: 'How long the old key still works, in seconds, unless it expires before. Default: 86400.',
      }),
    ),
  },
  {
    $id: 'RotateApiKey',
    description: 'How to replace the key. The body may be left out.',
    additionalProperties: false,
    examples: [{ overlap_seconds: 3600 }],
  },
);

export const apiKeyIdParameter = Type.Object({
  key_id: Type.String({ description: 'The `id` of an API key.', examples: [exampleKey.id] }),
});

export type PublicApiKey = Static<typeof apiKeySchema>;
