/** Lets so many do something at once; the others wait in order. */
export interface Turns {
  /** Waits for a turn; a holder has one at a time, however often it asks. What this answers ends it. */
  take(holder: string): Promise<() => void>;
}

/** Turns of which `limit` are out at any moment, each with another holder. */
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
