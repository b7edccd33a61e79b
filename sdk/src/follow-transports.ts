import { ConnectionError, isRefusal, KinoraError } from './errors.ts';
import type { Task } from './generated/types.ts';
import { pause, retryPause } from './http.ts';

/** One transport to see a task change. It may end or throw at any time, and is then begun anew. */
export type Transport = () => AsyncIterable<Task>;

/** So often in a row may one transport fail before the next, humbler one is taken. */
const failuresPerTransport = 2;

/**
 * A task as it changes, until it is final, by the first of these transports that works; the last one may fail as often as `patience` says.
 * `known` is how the caller has seen it already.
 */
export async function* followTransports(
  transports: readonly Transport[],
  signal: AbortSignal | undefined,
  patience: number,
  known?: Task,
): AsyncGenerator<Task> {
  let seen = known ? fingerprintOf(known) : null;
  for (const [index, transport] of transports.entries()) {
    const isLastTransport = index === transports.length - 1;
    for (let failures = 0; isLastTransport || failures < failuresPerTransport; ) {
      let cause: unknown;
      try {
        for await (const task of transport()) {
          failures = 0;
          const fingerprint = fingerprintOf(task);
          if (fingerprint !== seen) yield task;
          seen = fingerprint;
          if (task.is_final) return;
        }
      } catch (error) {
        signal?.throwIfAborted();
        // What the service itself refuses is refused by every transport.
        if (isRefusal(error)) throw error;
        cause = error;
      }
      failures += 1;
      if (isLastTransport && failures > patience) throw lost(cause);
      await pause(retryPause(failures, null), signal);
    }
  }
}

/** What makes two sights of a task the same: some fields are new at every read. */
function fingerprintOf(task: Task): string {
  return JSON.stringify({ ...task, events_url: null, poll_after_ms: null });
}

function lost(cause: unknown): KinoraError {
  if (cause instanceof KinoraError) return cause;
  return new ConnectionError('The task was lost from fingerprint. It goes on; follow it again.', {
    cause,
    isRetryable: true,
  });
}
