import { isRefusal } from './errors.ts';
import type { Event } from './generated/types.ts';
import { type Http, pause, retryPause } from './http.ts';

const rememberedEvents = 1000;
/** A connection that lasted so long was a good one, even if nothing has happened. */
const steadyMilliseconds = 10_000;

/** What of a project is followed. */
export interface FollowProjectOptions {
  /** The last event that was seen: what came after it is sent first. */
  lastEventId?: string | undefined;
  /** Ends it. */
  signal?: AbortSignal | undefined;
}

/**
 * The events of a whole project as they come, each once, over broken connections too. Ends by the signal alone, but for what
 * never works: a refusal, or a service that cannot be reached from the start.
 */
export async function* followProject(
  http: Http,
  { lastEventId, signal }: FollowProjectOptions,
  patience: number,
): AsyncGenerator<Event> {
  let last = lastEventId;
  let hasWorked = false;
  const recent = new Set<string>();
  for (let failures = 0; ; ) {
    const began = performance.now();
    try {
      const headers = last === undefined ? {} : { 'last-event-id': last };
      const events = await http.openEvents({ method: 'GET', path: '/v1/events', headers, signal });
      hasWorked = true;
      for await (const { id, data } of events) {
        failures = 0;
        if (id === null) continue; // progress, which is not kept
        last = id;
        if (data === '') continue; // where the stream begins
        // After a reconnect the service sends the events of the last seconds again.
        if (recent.has(id)) continue;
        recent.add(id);
        for (const oldest of recent) {
          if (recent.size <= rememberedEvents) break;
          recent.delete(oldest);
        }
        yield JSON.parse(data) as Event; // the contract's word for it
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (isRefusal(error) || (!hasWorked && failures >= patience)) throw error;
    }
    failures = performance.now() - began > steadyMilliseconds ? 1 : failures + 1;
    await pause(retryPause(failures, null), signal);
  }
}
