/** Limits what is done at once, in total and per holder. Holders that wait take turns: none waits for another's queue. */
export interface ConcurrencyLimit {
  /** Waits for permits; returns what releases them. Throws NoPermit if the holder has too many waiting or on abort. */
  acquire(holder: string, options?: { amount?: number; signal?: AbortSignal }): Promise<() => void>;
  /** Takes a permit at once and returns the function that releases it, or says why there is none. */
  tryAcquire(holder: string, options?: { perHolder?: number }): (() => void) | NoPermit;
}

/** The holder got no permit in time: it has used up its own share, or all holders together the total. */
export class NoPermit extends Error {
  readonly isOwnShare: boolean;

  constructor(isOwnShare: boolean) {
    super(isOwnShare ? 'the holder has used up its share' : 'the total is used up');
    this.name = 'NoPermit';
    this.isOwnShare = isOwnShare;
  }
}

interface Waiting {
  amount: number;
  begin: () => void;
}

/** Creates a limit with so many permits. An amount must not exceed what a holder may have. */
export function createConcurrencyLimit(limits: {
  total: number;
  perHolder: number;
  waitingPerHolder?: number;
}): ConcurrencyLimit {
  const { total, perHolder, waitingPerHolder = Number.POSITIVE_INFINITY } = limits;
  const heldBy = new Map<string, number>();
  /** What waits, by holder. The order of the holders is the order of their turns. */
  const queues = new Map<string, Waiting[]>();
  let held = 0;

  const heldOf = (holder: string): number => heldBy.get(holder) ?? 0;

  function change(holder: string, amount: number): void {
    held += amount;
    const left = heldOf(holder) + amount;
    if (left === 0) heldBy.delete(holder);
    else heldBy.set(holder, left);
  }

  function admit(): void {
    // A holder that is put back while the loop runs is visited again, after the others.
    for (const [holder, queue] of queues) {
      const [next] = queue;
      if (!next || heldOf(holder) + next.amount > perHolder) continue;
      // Smaller requests do not overtake a large one, which would otherwise never begin.
      if (held + next.amount > total) return;
      queue.shift();
      queues.delete(holder);
      if (queue.length > 0) queues.set(holder, queue);
      change(holder, next.amount);
      next.begin();
    }
  }

  function leave(holder: string, waiting: Waiting): void {
    const left = queues.get(holder)?.filter((other) => other !== waiting) ?? [];
    if (left.length === 0) queues.delete(holder);
    else queues.set(holder, left);
    admit();
  }

  function releaser(holder: string, amount: number): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      change(holder, -amount);
      admit();
    };
  }

  return {
    async acquire(holder, { amount = 1, signal } = {}) {
      const noPermit = () => new NoPermit(heldOf(holder) + amount > perHolder);
      const queue = queues.get(holder) ?? [];
      if (queue.length >= waitingPerHolder || signal?.aborted) throw noPermit();
      await new Promise<void>((resolve, reject) => {
        const giveUp = () => {
          leave(holder, waiting);
          reject(noPermit());
        };
        const begin = () => {
          signal?.removeEventListener('abort', giveUp);
          resolve();
        };
        const waiting = { amount, begin };
        signal?.addEventListener('abort', giveUp, { once: true });
        queue.push(waiting);
        queues.set(holder, queue);
        admit();
      });
      return releaser(holder, amount);
    },
    tryAcquire(holder, options = {}) {
      const share = options.perHolder ?? perHolder;
      if (heldOf(holder) >= share || held >= total) return new NoPermit(heldOf(holder) >= share);
      change(holder, 1);
      return releaser(holder, 1);
    },
  };
}
