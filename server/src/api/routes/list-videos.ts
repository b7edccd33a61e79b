import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { errorResponses, keyErrors } from '../../http/error-responses.ts';
import { defaultPageLimit, presentPage } from '../../http/list-schema.ts';
import { queryReader } from '../../http/query-reader.ts';
import { reference } from '../../http/schema-parts.ts';
import type { TaskListQuery } from '../../operations/tasks/list-tasks.ts';
import type { ApiParts } from '../api-parts.ts';
import { pollAfterMilliseconds } from '../presenters/present-task.ts';
import { presentWithLinks } from '../presenters/present-with-links.ts';
import { callerOf } from '../requests/caller-of.ts';
import { taskHeaders } from '../schemas/response-headers.ts';
import { type PublicTaskList, taskListQuery, taskListSchema } from '../schemas/task-list-schema.ts';

type Parts = Pick<ApiParts, 'listTasks' | 'links' | 'log'>;

const readQuery = queryReader(taskListQuery);

/** GET /v1/videos. */
export function listVideosRoute(app: FastifyInstance, parts: Parts): void {
  app.route({
    method: 'GET',
    url: '/v1/videos',
    schema: {
      operationId: 'listVideos',
      summary: 'List tasks',
      description:
        'Returns the tasks of the project and mode, newest first, each with all fields and new URLs. Filters can be ' +
        'combined. Deleted tasks are not listed. If few of very many tasks match, a page can have fewer tasks than ' +
        '`limit`, or none, while `has_more` is true: continue after `last_id`, which is then the last task that was ' +
        'checked.',
      tags: ['Videos'],
      querystring: taskListQuery,
      response: {
        200: { ...reference(taskListSchema), description: 'One page of tasks.', headers: taskHeaders },
        ...errorResponses([...keyErrors, 'invalid_parameter']),
      },
    },
    handler: async (request, reply) => {
      const page = await parts.listTasks(callerOf(request), toListQuery(readQuery(request.query)));
      const tasks = await Promise.all(page.views.map(async (view) => (await presentWithLinks(view, parts)).task));
      reply.headers({
        'cache-control': 'private, no-cache',
        'openai-poll-after-ms': String(pollAfterMilliseconds(page)),
      });
      const body = presentPage(tasks, page.next !== null);
      return reply.send({ ...body, last_id: page.next ?? body.last_id } satisfies PublicTaskList);
    },
  });
}

function toListQuery(query: Static<typeof taskListQuery>): TaskListQuery {
  const { limit, after, order, status, aspect_ratio, key_id, created_after, created_before, q, ...same } = query;
  return {
    limit: limit ?? defaultPageLimit,
    after: after ?? null,
    order: order ?? 'desc',
    filter: {
      ...same,
      statuses: status,
      aspectRatio: aspect_ratio,
      keyId: key_id,
      createdAfter: fromUnixSeconds(created_after),
      createdBefore: fromUnixSeconds(created_before),
      words: q,
    },
  };
}

function fromUnixSeconds(seconds: number | undefined): Date | undefined {
  return seconds === undefined ? undefined : new Date(seconds * 1000);
}
