import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { bodyReader } from '../../http/body-reader.ts';
import { errorResponses, keyErrors, parseErrors } from '../../http/error-responses.ts';
import { reference } from '../../http/schema-parts.ts';
import type { ApiParts } from '../api-parts.ts';
import { presentToken } from '../presenters/present-token.ts';
import { callerOf } from '../requests/caller-of.ts';
import { createTokenSchema, tokenSchema } from '../schemas/token-schema.ts';

const readCreate = bodyReader(createTokenSchema, { isOptional: true });

/** 10 minutes: long enough to follow a task with few renewals, short enough for a token that leaks. */
const defaultSeconds = 600;

/** POST /v1/tokens: makes a short-lived token, for browsers and others that should not have a key. */
export function tokenRoute(app: FastifyInstance, { createToken }: Pick<ApiParts, 'createToken'>): void {
  app.withTypeProvider<TypeBoxTypeProvider>().post('/v1/tokens', {
    schema: {
      operationId: 'createToken',
      summary: 'Create a token',
      description:
        'Creates a token that works like the key of the request for at most ten minutes, with the same or fewer ' +
        'scopes, and for one task if you name it. Your server gives it to a browser, which then calls this API ' +
        'without ever having the key. Any key may create tokens; a token may not. A token is not stored. It stops ' +
        'working at once when its key is revoked or its project suspended.',
      tags: ['API keys'],
      body: reference(createTokenSchema),
      response: {
        200: { ...reference(tokenSchema), description: 'The token.' },
        ...errorResponses([
          ...keyErrors,
          ...parseErrors,
          'missing_parameter',
          'invalid_parameter',
          'task_not_found',
          'task_deleted',
        ]),
      },
    },
    handler: async (request, reply) => {
      const { scopes, task_id: taskId = null, expires_in_seconds: seconds = defaultSeconds } = readCreate(request.body);
      const caller = callerOf(request);
      reply.header('cache-control', 'no-store');
      return presentToken(await createToken(caller, { scopes, taskId, seconds }), caller.livemode);
    },
  });
}
