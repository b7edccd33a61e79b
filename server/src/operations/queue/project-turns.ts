import type { Clock } from '../../domain/clock.ts';
import { createFairSemaphore } from '../../domain/fair-semaphore.ts';
import { refusalOfWait } from '../../errors.ts';

interface Limits {
  /** How many a project may have under way at once in this process. */
  atOnce: number;
  /** How many more may wait. */
  waiting: number;
  /** What they are, for the message to a caller who sends more. */
  noun: string;
}

/** 10 s: most clients have given up after longer, and would not learn of a task that is created then. */
const longestWaitMilliseconds = 10_000;

/** Lets each project do few things of a kind at a time in this process; the next ones wait for their turn, in their order. */
export function createProjectTurns({ clock }: { clock: Clock }, { atOnce, waiting, noun }: Limits) {
  const turns = createFairSemaphore({ total: Number.POSITIVE_INFINITY, perHolder: atOnce, waitingPerHolder: waiting });
  return {
    /** Runs `work` when it is the project's turn. Throws if too many wait already, or after 10 s. */
    async take<T>({ projectId }: { projectId: string }, work: () => Promise<T>): Promise<T> {
      const signal = clock.deadline(longestWaitMilliseconds);
      const endTurn = await turns.acquire(projectId, { signal }).catch((cause: unknown) => {
        const message = `The project has too many ${noun} under way at once. Send fewer at a time.`;
        throw refusalOfWait(cause, { retryAfterSeconds: 1, message });
      });
      try {
        return await work();
      } finally {
        endTurn();
      }
    },
  };
}
