import type { FastifyInstance } from 'fastify';
import { errorResponses, keyErrors } from '../../http/error-responses.ts';
import { queryReader } from '../../http/query-reader.ts';
import { reference } from '../../http/schema-parts.ts';
import type { ApiParts } from '../api-parts.ts';
import { presentUsage } from '../presenters/present-usage.ts';
import { callerOf } from '../requests/caller-of.ts';
import { usageQuery, usageSchema } from '../schemas/usage-schema.ts';

const readQuery = queryReader(usageQuery);

/** GET /v1/usage. */
export function usageRoute(app: FastifyInstance, { readUsage }: Pick<ApiParts, 'readUsage'>): void {
  app.route({
    method: 'GET',
    url: '/v1/usage',
    schema: {
      operationId: 'getUsage',
      summary: 'Get usage by hour or day',
      description:
        'Returns counts, seconds and percentiles of the project’s tasks in the mode of the key, by the time at which ' +
        'they ended. A range can have at most 400 buckets. Usage is kept longer than tasks.',
      tags: ['Account'],
      querystring: usageQuery,
      response: {
        200: { ...reference(usageSchema), description: 'Every bucket of the range, oldest first.' },
        ...errorResponses([...keyErrors, 'invalid_parameter']),
      },
    },
    handler: async (request, reply) => {
      const { bucket = 'day', group_by: groupBy = null, start, end } = readQuery(request.query);
      const usage = await readUsage(callerOf(request), { bucket, groupBy, start: toMoment(start), end: toMoment(end) });
      reply.header('cache-control', 'no-store');
      return presentUsage(usage);
    },
  });
}

function toMoment(unixSeconds: number | undefined): Date | null {
  return unixSeconds === undefined ? null : new Date(unixSeconds * 1000);
}
