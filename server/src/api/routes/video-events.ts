import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { isFinal } from '../../domain/task.ts';
import type { TaskView } from '../../domain/task-view.ts';
import { AppError } from '../../errors.ts';
import { errorResponses, keyErrors } from '../../http/error-responses.ts';
import { queryReader } from '../../http/query-reader.ts';
import { requestFields } from '../../http/request-id.ts';
import type { ApiParts } from '../api-parts.ts';
import { isSigned } from '../hooks/authorize-requests.ts';
import { eventsPath, eventsVariant } from '../presenters/task-links.ts';
import { callerOf } from '../requests/caller-of.ts';
import { eventStreamResponse } from '../schemas/event-schema.ts';
import { streamHeaders } from '../schemas/request-headers.ts';
import { taskIdParameter } from '../schemas/task-id-parameter.ts';
import { eventStreamHeaders } from '../streams/event-stream.ts';
import { accessOfCaller, type LongLivedRequests } from '../streams/long-lived-requests.ts';
import { openEventStream } from '../streams/open-event-stream.ts';
import { sendNewest } from '../streams/send-newest.ts';
import type { RenderTask } from '../streams/task-frames.ts';

const query = Type.Object({
  variant: Type.Optional(Type.Literal(eventsVariant, { description: 'Part of a signed URL.' })),
  expires: Type.Optional(Type.String({ description: 'Part of a signed URL: when it stops working. Unix seconds.' })),
  signature: Type.Optional(Type.String({ description: 'Part of a signed URL: replaces the API key.' })),
});
const readQuery = queryReader(query);
const headers = streamHeaders('The last id that you received. Browsers send it when they reconnect.');

/** Pages of any origin may read a signed URL: having the URL is the permission. */
const sharingHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-request-id',
  'cross-origin-resource-policy': 'cross-origin',
};

const url = '/v1/videos/:task_id/events';

export type StreamParts = ApiParts & { longLived: LongLivedRequests; renderTask: RenderTask };
type Parts = Pick<StreamParts, 'readTask' | 'readSignedTask' | 'signer' | 'hub' | 'log' | 'longLived' | 'renderTask'>;
type Target = { Params: Static<typeof taskIdParameter>; Querystring: Record<string, unknown> };

/** GET /v1/videos/{task_id}/events: streams the states of a task until it is final. */
export function videoEventsRoute(app: FastifyInstance, parts: Parts): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();

  routes.route<Target>({
    method: 'GET',
    url,
    exposeHeadRoute: false,
    schema: {
      operationId: 'streamVideoEvents',
      summary: 'Stream the progress of a task',
      description:
        'Streams the states of a task as server-sent events until it is final. The `events_url` of a task leads here ' +
        'and needs no key, so a browser’s `EventSource` can open it. Each message is `event: task` with the task as ' +
        '`data` and its version as `id`; the current state comes first. A slow reader gets the newest state and ' +
        'misses those in between. A comment every 15 seconds keeps the connection open.\n\n' +
        'A stream with a key ends soon after the key is revoked, and one with a token when the token expires. A stream with `events_url` ends when that URL ' +
        'expires, as do all links in it, and its `prompt`, `negative_prompt`, `metadata`, `warnings` and `usage` are ' +
        'empty: read the task with a key to get a new URL. Both end soon after the project is suspended or the task ' +
        'is deleted.',
      tags: ['Events'],
      params: taskIdParameter,
      querystring: query,
      headers,
      response: {
        200: eventStreamResponse('id: 3\nevent: task\ndata: {"task_id":"task_01k9zq…", …}\n\n'),
        204: { type: 'null', description: '`Last-Event-ID` is the final version, so no more messages will follow.' },
        ...errorResponses([...keyErrors, 'signature_invalid', 'task_not_found', 'task_deleted']),
      },
    },
    handler: async (request, reply) => {
      const { view, signedUntil } = await readTask(request, reply);
      if (hasSeenFinalState(request, view)) return reply.code(204).send();
      const { projectId, livemode } = view.task;
      let unwatch = (): void => undefined;
      const stream = openEventStream({
        reply,
        longLived: parts.longLived,
        owner: { projectId, livemode },
        access: signedUntil ? { signedTaskId: view.task.id, until: signedUntil } : accessOfCaller(callerOf(request)),
        onClose: () => unwatch(),
      });
      const render = (newest: TaskView) => parts.renderTask(newest, signedUntil);
      const offer = sendNewest(stream, render, (error) =>
        parts.log.error(
          { event: 'stream.failed', err: error, ...requestFields(request), taskId: view.task.id },
          'stream ended early',
        ),
      );
      offer(view);
      // No change is missed: the hub starts by reading the task once more.
      unwatch = parts.hub.watchTask(view.task.id, offer);
      return reply.headers(eventStreamHeaders).send(stream.body);
    },
  });

  // Fastify's own HEAD would wait for the end of the stream.
  routes.route<Target>({
    method: 'HEAD',
    url,
    schema: { hide: true, querystring: query },
    handler: async (request, reply) => {
      const { view } = await readTask(request, reply);
      return hasSeenFinalState(request, view) ? reply.code(204).send() : reply.headers(eventStreamHeaders).send();
    },
  });

  routes.route<Target>({
    method: 'OPTIONS',
    url,
    schema: { hide: true },
    handler: async (request, reply) => {
      verify(request, reply);
      return reply
        .code(204)
        .headers({
          'access-control-allow-methods': 'GET, HEAD',
          'access-control-allow-headers': 'cache-control, last-event-id',
          'access-control-max-age': '3600',
        })
        .send();
    },
  });

  async function readTask(
    request: FastifyRequest<Target>,
    reply: FastifyReply,
  ): Promise<{ view: TaskView; signedUntil?: Date }> {
    const { task_id: taskId } = request.params;
    if (!isSigned(request)) {
      readQuery(request.query);
      return { view: await parts.readTask(callerOf(request), taskId) };
    }
    const signedUntil = verify(request, reply);
    return { view: await parts.readSignedTask(taskId), signedUntil };
  }

  /** Returns when the signature expires; throws unless the URL was signed for exactly this task's events. */
  function verify(request: FastifyRequest<Target>, reply: FastifyReply): Date {
    const { variant, expires, signature } = request.query;
    // Set even if the signature has expired, so that a page can read the error.
    if (signature !== undefined) reply.headers(sharingHeaders);
    const isValid =
      variant === eventsVariant &&
      typeof expires === 'string' &&
      typeof signature === 'string' &&
      parts.signer.verify(eventsPath(request.params.task_id), { variant, expires, signature });
    if (!isValid) throw new AppError('signature_invalid');
    return new Date(Number(expires) * 1000);
  }
}

function hasSeenFinalState({ headers: { 'last-event-id': lastEventId } }: FastifyRequest, { task }: TaskView): boolean {
  return isFinal(task.status) && lastEventId === String(task.version);
}
