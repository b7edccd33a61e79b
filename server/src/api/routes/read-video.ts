import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { errorResponses, keyErrors } from '../../http/error-responses.ts';
import { queryReader } from '../../http/query-reader.ts';
import { reference } from '../../http/schema-parts.ts';
import type { ApiParts } from '../api-parts.ts';
import { notePreference, preferredWaitSeconds } from '../requests/prefer.ts';
import { longestWaitSeconds, readHeaders } from '../schemas/request-headers.ts';
import { etagHeader, preferenceHeader, taskHeaders } from '../schemas/response-headers.ts';
import { taskIdParameter } from '../schemas/task-id-parameter.ts';
import { taskSchema } from '../schemas/task-schema.ts';
import { readAfterWait, sendTask } from './send-task.ts';

type Parts = Pick<ApiParts, 'readTask' | 'links' | 'log' | 'clock'>;

const query = Type.Object({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: longestWaitSeconds,
      description:
        'Wait until the task is final, but at most this many seconds, and then return it as it is. `Prefer: wait=N` ' +
        'does the same.',
    }),
  ),
});
const readQuery = queryReader(query);

const headers = { ...taskHeaders, ...etagHeader, ...preferenceHeader };

/** GET /v1/videos/{task_id}. */
export function readVideoRoute(app: FastifyInstance, parts: Parts): void {
  app.withTypeProvider<TypeBoxTypeProvider>().route({
    method: 'GET',
    url: '/v1/videos/:task_id',
    schema: {
      operationId: 'getVideo',
      summary: 'Get a task',
      description:
        'Returns the status, the progress and, once the task has completed, the URLs of the video. To follow a task, ' +
        'read it again after `poll_after_ms` until `is_final` is true; or send `wait`, which counts as one read; or ' +
        'open `events_url`.',
      tags: ['Videos'],
      params: taskIdParameter,
      querystring: query,
      headers: readHeaders,
      response: {
        200: { ...reference(taskSchema), description: 'The task as it is now.', headers },
        304: { type: 'null', description: 'The task has not changed since the `ETag` of `If-None-Match`.', headers },
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
