import type { FastifyInstance } from 'fastify';
import { totalWaitingFactor } from '../../domain/caller.ts';
import type { QuotaState } from '../../domain/rate-limit.ts';
import { errorResponses, keyErrors } from '../../http/error-responses.ts';
import { reference } from '../../http/schema-parts.ts';
import type { ApiParts } from '../api-parts.ts';
import { callerOf } from '../requests/caller-of.ts';
import { limitsSchema, type PublicLimits } from '../schemas/limits-schema.ts';

/** GET /v1/limits. Authentication has already read the limits together with the key. */
export function limitsRoute(app: FastifyInstance, { mostWaiting }: Pick<ApiParts, 'mostWaiting'>): void {
  app.route({
    method: 'GET',
    url: '/v1/limits',
    schema: {
      operationId: 'getLimits',
      summary: 'Get the limits and how much is in use',
      description:
        'Returns the rate limits, queue limits and storage limits of the project. Every response to a ' +
        'request with a valid key shows the rate limits as well, in `RateLimit-Policy`, `RateLimit` and `x-ratelimit-…`. A 429 names the limit in its ' +
        'message and has `Retry-After`.',
      tags: ['Account'],
      response: {
        200: { ...reference(limitsSchema), description: 'The limits, after this read.' },
        ...errorResponses([...keyErrors]),
      },
    },
    handler: async (request, reply) => {
      const { projectId, livemode, limits } = callerOf(request);
      if (!request.rates) throw new TypeError('a request with a key was not counted');
      reply.header('cache-control', 'no-store');
      return {
        object: 'limits',
        livemode,
        creates: presentRate(request.rates.create),
        reads: presentRate(request.rates.read),
        waiting: { limit: limits.waitingLimit, used: await mostWaiting({ projectId, livemode }) },
        waiting_total: { limit: limits.waitingLimit * totalWaitingFactor, used: limits.waiting },
        running: { limit: limits.runningLimit, used: limits.running },
        uploads: presentRate(request.rates.upload),
        storage: { limit_bytes: limits.storage.limitBytes, used_bytes: limits.storage.usedBytes },
        files: { limit: limits.storage.filesLimit, used: limits.storage.files },
      } satisfies PublicLimits;
    },
  });
}

function presentRate({ perMinute, burst, remaining, resetSeconds }: QuotaState): PublicLimits['creates'] {
  return { limit_per_minute: perMinute, burst, remaining, reset_seconds: resetSeconds };
}
