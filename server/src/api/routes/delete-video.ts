import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { erasureErrors, errorResponses, parseErrors } from '../../http/error-responses.ts';
import { reference } from '../../http/schema-parts.ts';
import type { ApiParts } from '../api-parts.ts';
import { callerOf } from '../requests/caller-of.ts';
import { deletedTaskSchema, type PublicDeletedTask } from '../schemas/deleted-task-schema.ts';
import { taskIdParameter } from '../schemas/task-id-parameter.ts';

type Parts = Pick<ApiParts, 'deleteTask'>;

/** DELETE /v1/videos/{task_id}. */
export function deleteVideoRoute(app: FastifyInstance, parts: Parts): void {
  app.withTypeProvider<TypeBoxTypeProvider>().route({
    method: 'DELETE',
    url: '/v1/videos/:task_id',
    schema: {
      operationId: 'deleteVideo',
      summary: 'Delete a task',
      description:
        'Cancels the task if it has not ended, then erases its prompts, metadata, image and files. The task is no ' +
        'longer listed, and later reads get 410 `task_deleted`. Deleting it again has the same response. Its usage ' +
        'stays counted. A suspended project can still delete its tasks.',
      tags: ['Videos'],
      params: taskIdParameter,
      response: {
        200: { ...reference(deletedTaskSchema), description: 'The task is deleted.' },
        ...errorResponses([...erasureErrors, 'sign_in_again', 'task_not_found', ...parseErrors]),
      },
    },
    handler: async (request, reply) => {
      const { task_id: id } = request.params;
      await parts.deleteTask(callerOf(request), id);
      return reply.send({ id, object: 'video.deleted', deleted: true } satisfies PublicDeletedTask);
    },
  });
}
