import type { Clock } from '../domain/clock.ts';

export interface Throttled {
  /** Requests a run. It begins at once, or as soon as the interval since the start of the last run is over. */
  soon(): void;
  /** Waits for the current run and for a requested one, and prevents further runs. */
  close(): Promise<void>;
}

/** Runs `work` on request, never twice at a time, and begins runs at least `milliseconds` apart. */
export function throttled(clock: Clock, milliseconds: number, work: () => Promise<void>): Throttled {
  let stop: (() => void) | null = null;
  let running: Promise<void> | null = null;
  let isRequested = false;
  let isClosed = false;
  let beganAt = Number.NEGATIVE_INFINITY;

  const run = (): void => {
    stop = null;
    isRequested = false;
    beganAt = clock.elapsed();
    running = work().finally(() => {
      running = null;
      if (isRequested) arm();
    });
  };
  const arm = (): void => {
    if (isClosed || stop !== null || running !== null) return;
    stop = clock.after(Math.max(0, beganAt + milliseconds - clock.elapsed()), run);
  };

  return {
    soon: () => {
      isRequested = true;
      arm();
    },
    close: async () => {
      isClosed = true;
      stop?.();
      await running;
      if (isRequested) run();
      await running;
    },
  };
}
