import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { ApiParts } from '../api-parts.ts';
import { errorResponses } from '../presenters/error-responses.ts';

const health = Type.Object({ status: Type.Literal('ok') });
const readiness = Type.Object({ status: Type.Enum(['ready', 'not_ready'], { type: 'string' }) });

/**
 * GET /healthz and /readyz, for supervisors and load balancers. Only the private port shows which parts fail: strangers
 * could watch what their requests do to each of them.
 */
export function healthRoutes(
  app: FastifyInstance,
  { readiness: check }: Pick<ApiParts, 'readiness'>,
  { showsChecks }: { showsChecks: (request: FastifyRequest) => boolean },
): void {
  app.get(
    '/healthz',
    {
      schema: {
        operationId: 'getHealth',
        summary: 'Whether the process is alive',
        description: 'Checks this process only, for a supervisor that restarts processes.',
        tags: ['Service'],
        response: { ...errorResponses([]), 200: { ...health, description: 'It is.' } },
      },
    },
    async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  );

  app.get(
    '/readyz',
    {
      schema: {
        operationId: 'getReadiness',
        summary: 'Whether the service can take requests',
        description:
          'Postgres and its partitions decide; Temporal and the store may be away for a while. Each check takes at most ' +
          '2 s, and its result is kept for a second. A process that is shutting down is not ready.',
        tags: ['Service'],
        response: {
          ...errorResponses([]),
          200: { ...readiness, description: 'It can. What is degraded does not stop it from accepting tasks.' },
          503: { ...readiness, description: 'It cannot.' },
        },
      },
    },
    async (request, reply) => {
      const { ready, ...details } = await check();
      return reply
        .code(ready ? 200 : 503)
        .header('cache-control', 'no-store')
        .send({ status: ready ? 'ready' : 'not_ready', ...(showsChecks(request) ? details : {}) });
    },
  );
}
