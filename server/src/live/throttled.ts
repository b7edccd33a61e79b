export interface Throttled {
  /** Requests a run. It begins at once, or as soon as the interval since the start of the last run is over. */
  soon(): void;
  /** Waits for the current run and for a requested one, and prevents further runs. */
  close(): Promise<void>;
}

/** Runs `work` on request, never twice at a time, and begins runs at least `milliseconds` apart. */
export function throttled(milliseconds: number, work: () => Promise<void>): Throttled {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let isRequested = false;
  let isClosed = false;
  let beganAt = Number.NEGATIVE_INFINITY;

  const run = (): void => {
    timer = null;
    isRequested = false;
    beganAt = performance.now();
    running = work().finally(() => {
      running = null;
      if (isRequested) arm();
    });
  };
  const arm = (): void => {
    if (isClosed || timer !== null || running !== null) return;
    timer = setTimeout(run, Math.max(0, beganAt + milliseconds - performance.now()));
  };

  return {
    soon: () => {
      isRequested = true;
      arm();
    },
    close: async () => {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      await running;
      if (isRequested) run();
      await running;
    },
  };
}
