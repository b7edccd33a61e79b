import type { FastifyInstance } from 'fastify';
import { idFromUuid, lowestUuidAt, uuidFromId } from '../../domain/id.ts';
import { AppError } from '../../errors.ts';
import { errorResponses, keyErrors } from '../../http/error-responses.ts';
import { requestFields } from '../../http/request-id.ts';
import { callerOf } from '../requests/caller-of.ts';
import { eventStreamResponse } from '../schemas/event-schema.ts';
import { streamHeaders } from '../schemas/request-headers.ts';
import type { RenderEvent } from '../streams/event-frames.ts';
import { eventStreamHeaders } from '../streams/event-stream.ts';
import { accessOfCaller } from '../streams/long-lived-requests.ts';
import { openEventStream } from '../streams/open-event-stream.ts';
import { replayEvents } from '../streams/replay-events.ts';
import { sendInOrder } from '../streams/send-in-order.ts';
import type { StreamParts } from './video-events.ts';

const headers = streamHeaders(
  'The last `evt_…` that you received: the stream continues after it. Without it the stream starts now.',
);

const url = '/v1/events';

type Parts = Pick<StreamParts, 'hub' | 'readEvents' | 'log' | 'clock' | 'longLived' | 'renderTask'> & {
  renderEvent: RenderEvent;
};

/** GET /v1/events: streams the events of the caller's project as they happen. */
export function projectEventsRoute(app: FastifyInstance, parts: Parts): void {
  app.route({
    method: 'GET',
    url,
    exposeHeadRoute: false,
    schema: {
      operationId: 'streamEvents',
      summary: 'Stream the events of all tasks',
      description:
        'Streams the events of the project and mode as server-sent events. A message named after an event type ' +
        '(`video.started`, `video.completed`, `video.failed`, `video.cancelled`) has the id of the event as `id` and ' +
        'the event as `data`. A message named `task` has no `id`: it shows a task that has made progress, and slow ' +
        'readers may miss some. Send the last id as `Last-Event-ID` to continue after it; a new stream starts with ' +
        'an `id` alone, for a client that has received no event yet. Every event arrives at least once: after a ' +
        'reconnect, the events of the last seconds may arrive again with the same id. A comment every 15 seconds ' +
        'keeps the connection open.',
      tags: ['Events'],
      headers,
      response: {
        200: eventStreamResponse(
          'id: evt_01k9zq…\nevent: video.completed\ndata: {"id":"evt_01k9zq…","type":"video.completed", …}\n\n',
        ),
        ...errorResponses([...keyErrors, 'invalid_parameter']),
      },
    },
    handler: async (request, reply) => {
      const lastSeen = readLastEventId(request.headers['last-event-id']);
      const caller = callerOf(request);
      const { projectId, livemode } = caller;
      const owner = { projectId, livemode };
      let unwatch = (): void => undefined;
      const stream = openEventStream({
        reply,
        longLived: parts.longLived,
        owner,
        access: accessOfCaller(caller),
        onClose: () => unwatch(),
      });
      const onError = (error: unknown): void =>
        parts.log.error({ event: 'stream.failed', err: error, ...requestFields(request) }, 'stream ended early');
      const sender = sendInOrder(stream, onError);
      const openedAt = parts.clock.now();
      // A reader that loses the connection before the first event can resume from here.
      if (lastSeen === null) stream.write(`id: ${idFromUuid('evt', lowestUuidAt(openedAt))}\n\n`);
      const replay = replayEvents({
        lastSeen,
        openedAt,
        readPage: (after, limit) => parts.readEvents(owner, after, limit),
        send: async (event) => {
          const frame = await parts.renderEvent(event);
          await stream.drained();
          stream.write(frame);
          return stream.isOpen;
        },
      });
      try {
        unwatch = await parts.hub.watchProject(owner, {
          onEvents: (events) => {
            for (const one of replay.takeLive(events)) sender.send(() => parts.renderEvent(one));
          },
          onChanged: (views) => {
            if (sender.isBusy()) return;
            for (const view of views) sender.send(async () => (await parts.renderTask(view)).messageWithoutId);
          },
        });
      } catch (error) {
        stream.body.destroy();
        throw error;
      }
      if (!stream.isOpen) unwatch();
      replay
        .run((events) => {
          for (const one of events) sender.send(() => parts.renderEvent(one));
        })
        .catch((error: unknown) => {
          onError(error);
          stream.endSoon();
        });
      return reply.headers(eventStreamHeaders).send(stream.body);
    },
  });

  // Fastify's own HEAD would wait for the end of the stream.
  app.route({
    method: 'HEAD',
    url,
    schema: { hide: true },
    handler: async (request, reply) => {
      readLastEventId(request.headers['last-event-id']);
      return reply.headers(eventStreamHeaders).send();
    },
  });
}

/** Returns a position among the events as a UUID. The event may be deleted already: its id contains its time. */
function readLastEventId(header: string | string[] | undefined): string | null {
  if (header === undefined || header === '') return null;
  const uuid = uuidFromId('evt', String(header));
  if (uuid !== null) return uuid;
  const param = 'Last-Event-ID';
  const message = `${param} must be the id of an event, such as evt_01k9zqv3x4e8rb6t7y2m5n0p1q`;
  throw new AppError('invalid_parameter', { param, message, details: [{ param, code: 'malformed', message }] });
}
