import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiParts } from '../app.ts';
import { callerOf } from '../authorize.ts';
import { reference } from '../schemas/common.ts';
import { errorResponses, keyErrors } from '../schemas/error-schema.ts';
import { taskIdParameter } from '../schemas/task-id-parameter.ts';
import { taskSchema } from '../schemas/task-schema.ts';
import { answerTask, taskHeaders } from './answer-task.ts';

type Parts = Pick<ApiParts, 'readTask' | 'links' | 'log' | 'clock'>;

/** GET /v1/videos/{task_id}. */
export function readVideoRoute(app: FastifyInstance, parts: Parts): void {
  app.withTypeProvider<TypeBoxTypeProvider>().route({
    method: 'GET',
    url: '/v1/videos/:task_id',
    schema: {
      operationId: 'getVideo',
      summary: 'Check the status of a generation task',
      description:
        'Read it again after `poll_after_ms`, until `is_final`. `If-None-Match` with the last ETag spares the body.',
      tags: ['Videos'],
      security: [{ apiKey: [] }],
      params: taskIdParameter,
      response: {
        200: { ...reference(taskSchema), description: 'The task as it is now.', headers: taskHeaders },
        304: { type: 'null', description: 'Nothing has changed since the ETag of If-None-Match.' },
        ...errorResponses([...keyErrors, 'task_not_found', 'rate_limited', 'internal_error', 'overloaded']),
      },
    },
    handler: async (request, reply) => {
      const view = await parts.readTask(callerOf(request), request.params.task_id);
      return answerTask(request, reply, view, parts);
    },
  });
}
