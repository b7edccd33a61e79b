/** Limits how many holders do something at once; the others wait in order. */
export interface Turns {
  /** Waits for a turn and returns the function that ends it. A holder has at most one turn at a time. */
  take(holder: string): Promise<() => void>;
}

/** Creates turns of which at most `limit` are taken at any moment, each by another holder. */
export function createTurns(limit: number): Turns {
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
    async take(holder) {
      await new Promise<void>((begin) => {
        waiting.push({ holder, begin });
        admit();
      });
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        holders.delete(holder);
        admit();
      };
    },
  };
}
