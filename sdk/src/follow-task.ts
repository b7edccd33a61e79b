import { followTransports, type Transport } from './follow-transports.ts';
import { type Http, type HttpRequest, pause, type RequestOptions } from './http.ts';
import type { Task } from './task.ts';

/** Options of `videos.follow`. `maxRetries` limits the consecutive failures of the connection. */
export interface FollowOptions extends RequestOptions {
  /** Stops following. The task keeps running; the iteration throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** 10 s: short enough to show progress, and shorter than the idle timeouts of common proxies. */
const longPollSeconds = 10;

/**
 * Yields a task whenever it changes, until it is final. It uses server-sent events; if a proxy blocks them, long
 * polling; and if that fails too, plain polling at the interval that the service asks for.
 */
export function followTask(
  http: Http,
  taskId: unknown,
  options: FollowOptions,
  maxFailures: number,
  known?: Task,
): AsyncGenerator<Task> {
  const { signal } = options;
  const read: HttpRequest = { ...options, method: 'GET', path: ['/v1/videos', taskId] };
  const streamed: Transport = () => tasksOf(http, { ...read, path: ['/v1/videos', taskId, 'events'] });

  async function* longPolled(): AsyncGenerator<Task> {
    const waiting = {
      query: { wait: longPollSeconds },
      extraMilliseconds: longPollSeconds * 1000,
      retriesOnlyIfAsked: true,
    };
    for (;;) {
      const sentAt = performance.now();
      const task = await http.json<Task>({ ...read, ...waiting });
      yield task;
      // A service that is shutting down, or a cache in between, responds at once. Pause, so that this does not become a
      // busy loop.
      if (performance.now() - sentAt < task.poll_after_ms) await pause(task.poll_after_ms, signal);
    }
  }

  async function* polled(): AsyncGenerator<Task> {
    for (;;) {
      const task = await http.json<Task>(read);
      yield task;
      await pause(task.poll_after_ms, signal);
    }
  }

  return followTransports([streamed, longPolled, polled], signal, options.maxRetries ?? maxFailures, known);
}

/** Yields each state of a task that its event stream sends. */
export async function* tasksOf(http: Http, request: HttpRequest): AsyncGenerator<Task> {
  for await (const { type, data } of await http.openEvents(request)) {
    if (type === 'task') yield JSON.parse(data) as Task; // openapi.json promises this type
  }
}
