import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { ErrorCode } from '../../errors.ts';
import type { ApiParts } from '../api-parts.ts';
import { errorResponses, keyErrors, parseErrors } from '../presenters/error-responses.ts';
import { presentApiKey } from '../presenters/present-api-key.ts';
import { bodyReader } from '../requests/body-reader.ts';
import { callerOf } from '../requests/caller-of.ts';
import { refuseFor } from '../requests/problems.ts';
import { queryReader } from '../requests/query-reader.ts';
import {
  apiKeyIdParameter,
  apiKeyListSchema,
  createApiKeySchema,
  deletedApiKeySchema,
  issuedApiKeySchema,
  rotateApiKeySchema,
} from '../schemas/api-key-schema.ts';
import { defaultPageLimit, pageParameters, presentPage } from '../schemas/list-schema.ts';
import { reference } from '../schemas/schema-parts.ts';

type Parts = Pick<ApiParts, 'apiKeys' | 'clock'>;

const bodyErrors = [...parseErrors, 'invalid_parameter', 'unknown_parameter'] as const satisfies readonly ErrorCode[];

const listQuery = Type.Object(pageParameters);
const readListQuery = queryReader(listQuery);
const readCreate = bodyReader(createApiKeySchema);
const readRotate = bodyReader(rotateApiKeySchema, { isOptional: true });

const defaultOverlapSeconds = 86_400;

/** /v1/api-keys: the keys of the caller's project and mode. */
export function apiKeyRoutes(app: FastifyInstance, { apiKeys, clock }: Parts): void {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>();

  typed.get('/v1/api-keys', {
    schema: {
      operationId: 'listApiKeys',
      summary: 'List API keys',
      description: 'Keys of the same project and mode, newest first, also revoked and expired ones. Never their text.',
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

  typed.post('/v1/api-keys', {
    schema: {
      operationId: 'createApiKey',
      summary: 'Create an API key',
      description:
        'A key of the same project and mode. It cannot be given a scope that the key of the request lacks, and ends no later ' +
        'than that. The answer is the only time its text is shown. A project can have 100 valid keys in each mode.',
      tags: ['API keys'],
      body: reference(createApiKeySchema),
      response: {
        200: { ...reference(issuedApiKeySchema), description: 'The key, with its text.' },
        ...errorResponses([...keyErrors, ...bodyErrors, 'missing_parameter', 'too_many_api_keys']),
      },
    },
    handler: async (request, reply) => {
      const { name, scopes, expires_at: expiry } = readCreate(request.body);
      const expiresAt = expiry === undefined ? undefined : new Date(expiry * 1000);
      if (expiresAt && expiresAt <= clock.now()) {
        const message = 'expires_at must lie in the future';
        throw refuseFor([{ error: 'invalid_parameter', param: 'expires_at', code: 'too_small', message }]);
      }
      const { key, ...made } = await apiKeys.create(callerOf(request), { name, scopes, expiresAt });
      reply.header('cache-control', 'no-store');
      return { ...presentApiKey(made), key };
    },
  });

  typed.post('/v1/api-keys/:key_id/rotate', {
    schema: {
      operationId: 'rotateApiKey',
      summary: 'Replace an API key',
      description:
        'Makes a new key with the name, scopes and expiry of the old one, which goes on working until the overlap ends. ' +
        'A key that has scopes which the key of the request lacks, that ends later than that, or that no longer works, ' +
        'cannot be rotated.',
      tags: ['API keys'],
      params: apiKeyIdParameter,
      body: reference(rotateApiKeySchema),
      response: {
        200: { ...reference(issuedApiKeySchema), description: 'The new key, with its text.' },
        ...errorResponses([...keyErrors, ...bodyErrors, 'not_found', 'too_many_api_keys']),
      },
    },
    handler: async (request, reply) => {
      const { overlap_seconds: overlapSeconds = defaultOverlapSeconds } = readRotate(request.body);
      const { key, ...made } = await apiKeys.rotate(callerOf(request), request.params.key_id, overlapSeconds);
      reply.header('cache-control', 'no-store');
      return { ...presentApiKey(made), key };
    },
  });

  typed.delete('/v1/api-keys/:key_id', {
    schema: {
      operationId: 'deleteApiKey',
      summary: 'Revoke an API key',
      description:
        'It is refused from now on, everywhere and for good, and stays in the list. Can be repeated. A key can revoke ' +
        'itself, and keys without scopes that it lacks.',
      tags: ['API keys'],
      params: apiKeyIdParameter,
      response: {
        200: { ...reference(deletedApiKeySchema), description: 'The key is revoked.' },
        ...errorResponses([...keyErrors, ...parseErrors, 'not_found']),
      },
    },
    handler: async (request) => {
      const { key_id: id } = request.params;
      await apiKeys.revoke(callerOf(request), id);
      return { id, object: 'api_key.deleted' as const, deleted: true as const };
    },
  });
}
