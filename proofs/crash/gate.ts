/** Lets many pieces of work run together, or one alone. Work that waits to be alone goes before later work. */
export interface Gate {
  together<T>(work: () => Promise<T>): Promise<T>;
  alone<T>(work: () => Promise<T>): Promise<T>;
}

export function createGate(): Gate {
  let inside = 0;
  let isAlone = false;
  let wantAlone = 0;
  let waiting: (() => void)[] = [];
  const changed = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
  const wake = (): void => {
    const resumed = waiting;
    waiting = [];
    for (const resume of resumed) resume();
  };
  return {
    async together(work) {
      while (isAlone || wantAlone > 0) await changed();
      inside += 1;
      try {
        return await work();
      } finally {
        inside -= 1;
        wake();
      }
    },
    async alone(work) {
      wantAlone += 1;
      while (isAlone || inside > 0) await changed();
      wantAlone -= 1;
      isAlone = true;
      try {
        return await work();
      } finally {
        isAlone = false;
        wake();
      }
    },
  };
}
