/** Limits how many holders do something at once; the others wait in order. */
export interface KeyedSemaphore {
  /** Waits for a permit and returns the function that releases it. A holder has at most one permit at a time. */
  acquire(holder: string): Promise<() => void>;
}

/** Creates a fair semaphore: at most `limit` holders at a time, and one permit per holder. */
export function createKeyedSemaphore(limit: number): KeyedSemaphore {
  const holders = new Set<string>();
  let waiting: { holder: string; begin: () => void }[] = [];

  function admit(): void {
    waiting = waiting.filter(({ holder, begin }) => {
      if (holders.size >= limit || holders.has(holder)) return true;
      holders.add(holder);
      begin();
      return false;
    });
  }

  return {
    async acquire(holder) {
      await new Promise<void>((begin) => {
        waiting.push({ holder, begin });
        admit();
      });
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        holders.delete(holder);
        admit();
      };
    },
  };
}
