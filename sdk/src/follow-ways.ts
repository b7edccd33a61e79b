import { ConnectionError, isRefusal, KinoraError } from './errors.ts';
import type { Task } from './generated/types.ts';
import { pause, retryPause } from './http.ts';

/** One way to see a task change. It may end or throw at any time, and is then begun anew. */
export type Way = () => AsyncIterable<Task>;

/** So often in a row may one way fail before the next, humbler one is taken. */
const failuresOfAWay = 2;

/**
 * A task as it changes, until it is final, by the first of these ways that works; the last one may fail as often as `patience` says.
 * `known` is how the caller has seen it already.
 */
export async function* followWays(
  ways: readonly Way[],
  signal: AbortSignal | undefined,
  patience: number,
  known?: Task,
): AsyncGenerator<Task> {
  let seen = known ? sightOf(known) : null;
  for (const [index, way] of ways.entries()) {
    const isLastWay = index === ways.length - 1;
    for (let failures = 0; isLastWay || failures < failuresOfAWay; ) {
      let cause: unknown;
      try {
        for await (const task of way()) {
          failures = 0;
          const sight = sightOf(task);
          if (sight !== seen) yield task;
          seen = sight;
          if (task.is_final) return;
        }
      } catch (error) {
        signal?.throwIfAborted();
        // What the service itself refuses is refused by every way.
        if (isRefusal(error)) throw error;
        cause = error;
      }
      failures += 1;
      if (isLastWay && failures > patience) throw lost(cause);
      await pause(retryPause(failures, null), signal);
    }
  }
}

/** What makes two sights of a task the same: some fields are new at every read. */
function sightOf(task: Task): string {
  return JSON.stringify({ ...task, events_url: null, poll_after_ms: null });
}

function lost(cause: unknown): KinoraError {
  if (cause instanceof KinoraError) return cause;
  return new ConnectionError('The task was lost from sight. It goes on; follow it again.', {
    cause,
    isRetryable: true,
  });
}
