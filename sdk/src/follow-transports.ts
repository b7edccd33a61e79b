import { ConnectionError, isRefusal, KinoraError } from './errors.ts';
import { pause, retryPause } from './http.ts';
import type { Task } from './task.ts';

/** One way to observe a task. The iteration may end or throw at any time; it is then restarted. */
export type Transport = () => AsyncIterable<Task>;

/** Consecutive failures of one transport before the next, simpler one is used. */
const failuresPerTransport = 2;

/**
 * Yields a task whenever it changes, until it is final, over the first of these transports that works. The last
 * transport may fail `maxFailures` times in a row. `known` is a state that the caller already has; it is not yielded.
 */
export async function* followTransports(
  transports: readonly Transport[],
  signal: AbortSignal | undefined,
  maxFailures: number,
  known?: Task,
): AsyncGenerator<Task> {
  let lastFingerprint = known ? fingerprintOf(known) : null;
  for (const [index, transport] of transports.entries()) {
    const isLastTransport = index === transports.length - 1;
    for (let failures = 0; isLastTransport || failures < failuresPerTransport; ) {
      let cause: unknown;
      try {
        for await (const task of transport()) {
          failures = 0;
          const fingerprint = fingerprintOf(task);
          if (fingerprint !== lastFingerprint) yield task;
          lastFingerprint = fingerprint;
          if (task.is_final) return;
        }
      } catch (error) {
        signal?.throwIfAborted();
        // The service would reject the request over every other transport too.
        if (isRefusal(error)) throw error;
        cause = error;
      }
      failures += 1;
      if (isLastTransport && failures > maxFailures) throw lost(cause);
      await pause(retryPause(failures, null), signal);
    }
  }
}

/** Returns what identifies a state of a task, without the fields that differ on every read. */
function fingerprintOf(task: Task): string {
  return JSON.stringify({ ...task, events_url: null, poll_after_ms: null });
}

function lost(cause: unknown): KinoraError {
  if (cause instanceof KinoraError) return cause;
  return new ConnectionError('The connection to the task was lost. The task is still running; follow it again.', {
    cause,
    isRetryable: true,
  });
}
