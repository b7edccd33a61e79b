/** Lets so many do something at once; the others wait in order. */
export interface Turns {
  /** Waits for a turn; what it answers ends it. */
  take(): Promise<() => void>;
}

/** Turns of which `limit` are out at any moment. */
export function createTurns(limit: number): Turns {
  let free = limit;
  const waiting: (() => void)[] = [];
  return {
    async take() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const next = waiting.shift();
        if (next) next();
        else free += 1;
      };
    },
  };
}
