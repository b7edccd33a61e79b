export interface Throttled {
  /** Asks for a run: at once if the last one is long enough ago, otherwise as soon as it is. */
  soon(): void;
  /** No further run, except for one that was asked for; waits for what is under way. */
  close(): Promise<void>;
}

/** Runs `work` when asked, never twice at a time, and begins no run sooner than so many milliseconds after the one before. */
export function throttled(milliseconds: number, work: () => Promise<void>): Throttled {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let isAsked = false;
  let isClosed = false;
  let beganAt = Number.NEGATIVE_INFINITY;

  const run = (): void => {
    timer = null;
    isAsked = false;
    beganAt = performance.now();
    running = work().finally(() => {
      running = null;
      if (isAsked) arm();
    });
  };
  const arm = (): void => {
    if (isClosed || timer !== null || running !== null) return;
    timer = setTimeout(run, Math.max(0, beganAt + milliseconds - performance.now()));
  };

  return {
    soon: () => {
      isAsked = true;
      arm();
    },
    close: async () => {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      await running;
      if (isAsked) run();
      await running;
    },
  };
}
