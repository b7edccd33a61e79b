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

/** Lets each project do few things of a kind at a time in this process; the next ones wait for their turn, in their order. */
export function createProjectTurns({ atOnce, waiting, noun }: Limits) {
  const turns = createFairSemaphore({ total: Number.POSITIVE_INFINITY, perHolder: atOnce, waitingPerHolder: waiting });
  return {
    /** Runs `work` when it is the project's turn. Throws if too many wait already. */
    async take<T>({ projectId }: { projectId: string }, work: () => Promise<T>): Promise<T> {
      const endTurn = await turns.acquire(projectId).catch((cause: unknown) => {
        throw refusalOfWait(cause, {
          retryAfterSeconds: 1,
          message: `The project has ${atOnce + waiting} ${noun} under way, which is as many as it may have. Send fewer at a time.`,
        });
      });
      try {
        return await work();
      } finally {
        endTurn();
      }
    },
  };
}
