import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { errorResponses, keyErrors, parseErrors } from '../../http/error-responses.ts';
import { reference } from '../../http/schema-parts.ts';
import type { ApiParts } from '../api-parts.ts';
import { callerOf } from '../requests/caller-of.ts';
import { taskHeaders } from '../schemas/response-headers.ts';
import { taskIdParameter } from '../schemas/task-id-parameter.ts';
import { taskSchema } from '../schemas/task-schema.ts';
import { sendTask } from './send-task.ts';

type Parts = Pick<ApiParts, 'cancelTask' | 'links' | 'log' | 'clock'>;

/** POST /v1/videos/{task_id}/cancel. */
export function cancelVideoRoute(app: FastifyInstance, parts: Parts): void {
  app.withTypeProvider<TypeBoxTypeProvider>().route({
    method: 'POST',
    url: '/v1/videos/:task_id/cancel',
    schema: {
      operationId: 'cancelVideo',
      summary: 'Cancel a task',
      description:
        'Ends a task that is queued or in progress, and stops the engine. Needs no body. Cancelling the task again ' +
        'has the same response. A task that has completed or failed gets 409 `task_not_cancellable`.',
      tags: ['Videos'],
      params: taskIdParameter,
      response: {
        200: { ...reference(taskSchema), description: 'The cancelled task.', headers: taskHeaders },
        ...errorResponses([...keyErrors, 'task_not_found', 'task_not_cancellable', 'task_deleted', ...parseErrors]),
      },
    },
    handler: async (request, reply) => {
      const view = await parts.cancelTask(callerOf(request), request.params.task_id);
      return sendTask(request, reply, view, parts);
    },
  });
}
