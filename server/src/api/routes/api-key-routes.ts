import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { ErrorCode } from '../../errors.ts';
import { bodyReader } from '../../http/body-reader.ts';
import { errorResponses, keyErrors, parseErrors } from '../../http/error-responses.ts';
import { defaultPageLimit, pageParameters, presentPage } from '../../http/list-schema.ts';
import { refuseFor } from '../../http/problems.ts';
import { queryReader } from '../../http/query-reader.ts';
import { reference } from '../../http/schema-parts.ts';
import type { ApiParts } from '../api-parts.ts';
import { presentApiKey } from '../presenters/present-api-key.ts';
import { callerOf } from '../requests/caller-of.ts';
import {
  apiKeyIdParameter,
  apiKeyListSchema,
  createApiKeySchema,
  deletedApiKeySchema,
  issuedApiKeySchema,
  rotateApiKeySchema,
} from '../schemas/api-key-schema.ts';

type Parts = Pick<ApiParts, 'apiKeys' | 'clock'>;

const bodyErrors = [...parseErrors, 'invalid_parameter', 'unknown_parameter'] as const satisfies readonly ErrorCode[];

const listQuery = Type.Object(pageParameters);
const readListQuery = queryReader(listQuery);
const readCreate = bodyReader(createApiKeySchema);
const readRotate = bodyReader(rotateApiKeySchema, { isOptional: true });

const defaultOverlapSeconds = 86_400;

/** /v1/api-keys: the keys of the caller's project and mode. */
export function apiKeyRoutes(app: FastifyInstance, parts: Parts): void {
  listRoute(app, parts);
  createRoute(app, parts);
  rotateRoute(app, parts);
  revokeRoute(app, parts);
}

function listRoute(app: FastifyInstance, { apiKeys }: Parts): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get('/v1/api-keys', {
    schema: {
      operationId: 'listApiKeys',
      summary: 'List API keys',
      description:
        'Returns the keys of the project and mode, newest first, including revoked and expired ones. The keys ' +
        'themselves are not shown.',
      tags: ['API keys'],
      querystring: listQuery,
      response: {
        200: { ...reference(apiKeyListSchema), description: 'One page of keys.' },
        ...errorResponses([...keyErrors, 'invalid_parameter']),
      },
    },
    handler: async (request) => {
      const { limit = defaultPageLimit, after = null, order = 'desc' } = readListQuery(request.query);
      const { keys, hasMore } = await apiKeys.list(callerOf(request), { limit, after, order });
      return presentPage(keys.map(presentApiKey), hasMore);
    },
  });
}

function createRoute(app: FastifyInstance, { apiKeys, clock }: Parts): void {
  app.withTypeProvider<TypeBoxTypeProvider>().post('/v1/api-keys', {
    schema: {
      operationId: 'createApiKey',
      summary: 'Create an API key',
      description:
        'Creates a key of the same project and mode. It can have only scopes that the key of the request has, and ' +
        'expires no later than that key. The response is the only time the key itself is shown. A project can have ' +
        '100 valid keys per mode.',
      tags: ['API keys'],
      body: reference(createApiKeySchema),
      response: {
        200: { ...reference(issuedApiKeySchema), description: 'The new key.' },
        ...errorResponses([...keyErrors, 'sign_in_again', ...bodyErrors, 'missing_parameter', 'too_many_api_keys']),
      },
    },
    handler: async (request, reply) => {
      const { name, scopes, expires_at: expiry } = readCreate(request.body);
      const expiresAt = expiry === undefined ? undefined : new Date(expiry * 1000);
      if (expiresAt && expiresAt <= clock.now()) {
        const message = 'expires_at must be in the future';
        throw refuseFor([{ error: 'invalid_parameter', param: 'expires_at', code: 'too_small', message }]);
      }
      const { key, ...made } = await apiKeys.create(callerOf(request), { name, scopes, expiresAt });
      reply.header('cache-control', 'no-store');
      return { ...presentApiKey(made), key };
    },
  });
}

function rotateRoute(app: FastifyInstance, { apiKeys }: Parts): void {
  app.withTypeProvider<TypeBoxTypeProvider>().post('/v1/api-keys/:key_id/rotate', {
    schema: {
      operationId: 'rotateApiKey',
      summary: 'Rotate an API key',
      description:
        'Creates a new key with the name, scopes and expiry of the old one. The old key still works until the ' +
        'overlap ends. A key cannot be rotated if it has scopes that the key of the request lacks, expires later ' +
        'than that key, or no longer works.',
      tags: ['API keys'],
      params: apiKeyIdParameter,
      body: reference(rotateApiKeySchema),
      response: {
        200: { ...reference(issuedApiKeySchema), description: 'The new key.' },
        ...errorResponses([...keyErrors, 'sign_in_again', ...bodyErrors, 'not_found', 'too_many_api_keys']),
      },
    },
    handler: async (request, reply) => {
      const { overlap_seconds: overlapSeconds = defaultOverlapSeconds } = readRotate(request.body);
      const { key, ...made } = await apiKeys.rotate(callerOf(request), request.params.key_id, overlapSeconds);
      reply.header('cache-control', 'no-store');
      return { ...presentApiKey(made), key };
    },
  });
}

function revokeRoute(app: FastifyInstance, { apiKeys }: Parts): void {
  app.withTypeProvider<TypeBoxTypeProvider>().delete('/v1/api-keys/:key_id', {
    schema: {
      operationId: 'deleteApiKey',
      summary: 'Revoke an API key',
      description:
        'Refuses the key from now on, permanently. It stays in the list. Revoking it again has the same response. A ' +
        'key can revoke itself, and other keys that have no scopes which it lacks.',
      tags: ['API keys'],
      params: apiKeyIdParameter,
      response: {
        200: { ...reference(deletedApiKeySchema), description: 'The key is revoked.' },
        ...errorResponses([...keyErrors, 'sign_in_again', ...parseErrors, 'not_found']),
      },
    },
    handler: async (request) => {
      const { key_id: id } = request.params;
      await apiKeys.revoke(callerOf(request), id);
      return { id, object: 'api_key.deleted' as const, deleted: true as const };
    },
  });
}
