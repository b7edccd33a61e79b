import type { Clock } from '../domain/clock.ts';

export interface Timer {
  /** Stops and waits for the run that is under way. */
  close(): Promise<void>;
}

/** A failed run is retried after at most 60 s, even if the interval is a day. */
const longestRetrySeconds = 60;

/** Runs `work` now, and `seconds` after the end of each run; a failed run is reported and retried within 60 s. */
export function every(
  clock: Clock,
  seconds: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): Timer {
  let isClosed = false;
  let wake: () => void = () => undefined;
  const loop = async (): Promise<void> => {
    while (!isClosed) {
      let waitSeconds = seconds;
      await work().catch((error: unknown) => {
        waitSeconds = Math.min(seconds, longestRetrySeconds);
        onError(error);
      });
      if (isClosed) return;
      await new Promise<void>((resolve) => {
        const stop = clock.after(waitSeconds * 1000, resolve);
        wake = () => {
          stop();
          resolve();
        };
      });
    }
  };
  const running = loop();
  return {
    close: async () => {
      isClosed = true;
      wake();
      await running;
    },
  };
}
