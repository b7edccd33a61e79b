import { isRefusal } from './errors.ts';
import { type Http, pause, type RequestOptions, retryPause } from './http.ts';
import type { KinoraEvent, Task } from './task.ts';

const rememberedEvents = 1000;
/** A connection that lasted 10 s has worked, even if no event arrived on it. The next failure counts as the first. */
const steadyMilliseconds = 10_000;

/** Options of `events.stream`. */
export interface FollowProjectOptions extends RequestOptions {
  /** The id of the last event that you processed. The stream then starts with the events after it. */
  lastEventId?: string | undefined;
  /** Called with each task that has made progress, as it is now. It may miss some if it is slow. */
  onTask?: ((task: Task) => void) | undefined;
  /** Ends the stream; the iteration then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * Yields each event of the project once, and reconnects if the connection breaks. It never ends by itself. It throws if
 * the signal is aborted, if the service rejects the request, or if more than `maxFailures` tries to connect fail before
 * the first success.
 */
export async function* followProject(
  http: Http,
  { lastEventId, onTask, ...options }: FollowProjectOptions,
  maxFailures: number,
): AsyncGenerator<KinoraEvent> {
  const { signal, maxRetries = maxFailures } = options;
  let last = lastEventId;
  let hasWorked = false;
  const recent = new Set<string>();
  for (let failures = 0; ; ) {
    const startedAt = performance.now();
    try {
      const headers = { ...options.headers, 'last-event-id': last };
      const events = await http.openEvents({ ...options, method: 'GET', path: '/v1/events', headers });
      hasWorked = true;
      for await (const { id, type, data } of events) {
        failures = 0;
        if (id === null) {
          // A progress update, which is not a stored event; openapi.json promises this type.
          if (type === 'task') onTask?.(JSON.parse(data) as Task);
          continue;
        }
        last = id;
        if (data === '') continue; // marks where the stream starts
        // After a reconnect the service resends the events of the last seconds.
        if (recent.has(id)) continue;
        recent.add(id);
        for (const oldest of recent) {
          if (recent.size <= rememberedEvents) break;
          recent.delete(oldest);
        }
        yield JSON.parse(data) as KinoraEvent; // openapi.json promises this type
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (isRefusal(error) || (!hasWorked && failures >= maxRetries)) throw error;
    }
    failures = performance.now() - startedAt > steadyMilliseconds ? 1 : failures + 1;
    await pause(retryPause(failures, null), signal);
  }
}
