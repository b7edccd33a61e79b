export interface Timer {
  /** Stops and waits for the run that is under way. */
  close(): Promise<void>;
}

/** Runs `work` now and then again so long after each run has ended; a failed run is reported and does not stop it. */
export function every(seconds: number, work: () => Promise<void>, onError: (error: unknown) => void): Timer {
  let isClosed = false;
  let wake: () => void = () => undefined;
  const loop = async (): Promise<void> => {
    while (!isClosed) {
      await work().catch(onError);
      if (isClosed) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, seconds * 1000);
        wake = () => {
          clearTimeout(timer);
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
