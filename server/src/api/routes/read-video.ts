import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { ApiParts } from '../api-parts.ts';
import { errorResponses, keyErrors } from '../presenters/error-responses.ts';
import { longestWaitSeconds, notePreference, preferredWaitSeconds } from '../requests/prefer.ts';
import { queryReader } from '../requests/query-reader.ts';
import { reference } from '../schemas/schema-parts.ts';
import { taskIdParameter } from '../schemas/task-id-parameter.ts';
import { taskSchema } from '../schemas/task-schema.ts';
import { readAfterWait, sendTask, taskHeaders } from './send-task.ts';

type Parts = Pick<ApiParts, 'readTask' | 'links' | 'log' | 'clock'>;

const query = Type.Object({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: longestWaitSeconds,
      description:
        'Answer when the task is final, or after so many seconds with the task as it is. `Prefer: wait=N` does the same.',
    }),
  ),
});
const readQuery = queryReader(query);

/** GET /v1/videos/{task_id}. */
export function readVideoRoute(app: FastifyInstance, parts: Parts): void {
  app.withTypeProvider<TypeBoxTypeProvider>().route({
    method: 'GET',
    url: '/v1/videos/:task_id',
    schema: {
      operationId: 'getVideo',
      summary: 'Check the status of a generation task',
      description:
        'Read it again after `poll_after_ms`, until `is_final`; or with `wait`, which counts as one read however long it ' +
        'takes; or follow `events_url`. `If-None-Match` with the last ETag spares the body.',
      tags: ['Videos'],
      params: taskIdParameter,
      querystring: query,
      response: {
        200: { ...reference(taskSchema), description: 'The task as it is now.', headers: taskHeaders },
        304: { type: 'null', description: 'Nothing has changed since the ETag of If-None-Match.' },
        ...errorResponses([...keyErrors, 'invalid_parameter', 'task_not_found', 'task_deleted']),
      },
    },
    handler: async (request, reply) => {
      const { wait } = readQuery(request.query);
      const preferred = preferredWaitSeconds(request.headers.prefer);
      const seconds = wait ?? preferred ?? 0;
      const view = await readAfterWait(request, reply, request.params.task_id, seconds, parts);
      if (preferred !== null && preferred === seconds) notePreference(reply, `wait=${seconds}`);
      return sendTask(request, reply, view, parts);
    },
  });
}
