import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { errorResponses } from './error-responses.ts';

const health = Type.Object({ status: Type.Literal('ok', { description: 'Always `ok`.' }) });
const readiness = Type.Object({
  status: Type.Enum(['ready', 'not_ready'], { type: 'string', description: 'Whether the service accepts requests.' }),
});

export interface HealthParts {
  readiness(this: void): Promise<{
    ready: boolean;
    checks: Record<string, 'ok' | 'degraded' | 'failed'>;
    /** How child processes are isolated; null if this process starts none. */
    isolation: string | null;
  }>;
}

/** For supervisors and load balancers. Only the private port says what fails: strangers could watch what they cause. */
export function healthRoutes(
  app: FastifyInstance,
  { readiness: check }: HealthParts,
  { showsChecks }: { showsChecks: (request: FastifyRequest) => boolean },
): void {
  app.get(
    '/healthz',
    {
      schema: {
        operationId: 'getHealth',
        summary: 'Check that the process is alive',
        description: 'Checks only this process, for a supervisor that restarts processes.',
        tags: ['Service'],
        response: { ...errorResponses([]), 200: { ...health, description: 'The process is alive.' } },
      },
    },
    async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  );

  app.get(
    '/readyz',
    {
      schema: {
        operationId: 'getReadiness',
        summary: 'Check that the service accepts requests',
        description:
          'For load balancers. The service is ready if it can use Postgres; it accepts tasks even while Temporal or ' +
          'the file store is unavailable. Each check takes at most 2 s, and its result is reused for 1 s. A process ' +
          'that shuts down is not ready.',
        tags: ['Service'],
        response: {
          ...errorResponses([]),
          200: { ...readiness, description: 'The service accepts requests.' },
          503: { ...readiness, description: 'The service does not accept requests now.' },
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
