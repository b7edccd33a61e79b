import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { errorResponses, keyErrors } from '../../http/error-responses.ts';
import { reference } from '../../http/schema-parts.ts';
import type { ApiParts } from '../api-parts.ts';
import { presentTimeline } from '../presenters/present-timeline.ts';
import { callerOf } from '../requests/caller-of.ts';
import { taskIdParameter } from '../schemas/task-id-parameter.ts';
import { timelineSchema } from '../schemas/timeline-schema.ts';

type Parts = Pick<ApiParts, 'readTimeline'>;

/** GET /v1/videos/{task_id}/timeline. */
export function videoTimelineRoute(app: FastifyInstance, parts: Parts): void {
  app.withTypeProvider<TypeBoxTypeProvider>().route({
    method: 'GET',
    url: '/v1/videos/:task_id/timeline',
    schema: {
      operationId: 'getVideoTimeline',
      summary: "Get a task's timeline",
      description:
        'Returns how long the task waited, rendered and was finished, and every attempt with its endpoint and ' +
        'outcome. Times are unix seconds; durations are in seconds, to the millisecond.',
      tags: ['Videos'],
      params: taskIdParameter,
      response: {
        200: { ...reference(timelineSchema), description: 'The timeline up to now.' },
        ...errorResponses([...keyErrors, 'task_not_found', 'task_deleted']),
      },
    },
    handler: async (request, reply) => {
      const timeline = await parts.readTimeline(callerOf(request), request.params.task_id);
      return reply.header('cache-control', 'private, no-cache').send(presentTimeline(timeline));
    },
  });
}
