import { followTransports, type Transport } from './follow-transports.ts';
import type { Task } from './generated/types.ts';
import { type Http, type HttpRequest, pause } from './http.ts';

/** What a task is followed with. */
export interface FollowOptions {
  /** Stops following; the task goes on. */
  signal?: AbortSignal | undefined;
}

/** Short enough for progress to be seen, and for proxies not to cut it. */
const longPollSeconds = 10;

/**
 * A task as it changes, until it is final: by events, where a proxy lets them through; else by reads that wait; else by plain
 * reads as often as the service allows.
 */
export function followTask(
  http: Http,
  taskId: string,
  { signal }: FollowOptions,
  patience: number,
  known?: Task,
): AsyncGenerator<Task> {
  const path = `/v1/videos/${encodeURIComponent(taskId)}`;
  const read: HttpRequest = { method: 'GET', path, signal };
  const streamed: Transport = () => tasksOf(http, { ...read, path: `${path}/events` });

  async function* awaited(): AsyncGenerator<Task> {
    const waiting = { query: { wait: longPollSeconds }, extraMilliseconds: longPollSeconds * 1000, isSingle: true };
    for (;;) {
      const asked = performance.now();
      const task = await http.json<Task>({ ...read, ...waiting });
      yield task;
      // A service that closes, or a cache in between, does not wait; then it is not asked without a pause either.
      if (performance.now() - asked < task.poll_after_ms) await pause(task.poll_after_ms, signal);
    }
  }

  async function* polled(): AsyncGenerator<Task> {
    for (;;) {
      const task = await http.json<Task>(read);
      yield task;
      await pause(task.poll_after_ms, signal);
    }
  }

  return followTransports([streamed, awaited, polled], signal, patience, known);
}

/** The sights of a task that a stream of its events sends. */
export async function* tasksOf(http: Http, request: HttpRequest): AsyncGenerator<Task> {
  for await (const { type, data } of await http.openEvents(request)) {
    if (type === 'task') yield JSON.parse(data) as Task; // the contract's word for it
  }
}
