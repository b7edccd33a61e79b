import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../domain/clock.ts';
import { uuidFromId } from '../domain/id.ts';
import type { Log } from '../telemetry/log.ts';
import { ownRequestIdOf, requestFields } from './request-id.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The task that the request created or is about, for its log line. */
    taskId: string | null;
  }
}

type OnRouteTime = (route: string, method: string, status: number, seconds: number) => void;

/** One log line and measurement per request, with the sender's ids and the route; its URL may be signed. */
export function observeRequests(
  app: FastifyInstance,
  { log, clock, onRouteTime }: { log: Log; clock: Clock; onRouteTime: OnRouteTime },
  senderOf: (request: FastifyRequest) => Record<string, string>,
): void {
  app.decorateRequest('taskId', null);
  app.decorateRequest('ownRequestId', null);

  app.addHook('onRequest', async (request) => {
    request.ownRequestId = ownRequestIdOf(request, clock);
    const { task_id: id } = (request.params ?? {}) as { task_id?: string };
    if (id !== undefined && uuidFromId('task', id) !== null) request.taskId = id;
  });

  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    onRouteTime(route, request.method, reply.statusCode, reply.elapsedTime / 1000);
    const level = route === '/healthz' || route === '/readyz' ? 'debug' : 'info';
    log[level](
      {
        event: 'request.completed',
        ...requestFields(request),
        method: request.method,
        route,
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime),
        ...(request.taskId === null ? {} : { taskId: request.taskId }),
        ...senderOf(request),
      },
      'request completed',
    );
  });
}
