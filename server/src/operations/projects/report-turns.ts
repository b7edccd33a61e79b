import { createFairSemaphore } from '../../domain/fair-semaphore.ts';
import { refusalOfWait } from '../../errors.ts';

/** Two: with five connections for reports, no two projects can keep a third one waiting for long. */
const mostAtOnce = 2;
/** A page of a console asks for a few lists at a time. More than this is a program without a limit of its own. */
const mostWaiting = 20;

/**
 * Lets each project run few lists, searches and usage queries at a time in this process; the next ones wait for their
 * turn, in their order.
 */
export function createReportTurns() {
  const turns = createFairSemaphore({
    total: Number.POSITIVE_INFINITY,
    perHolder: mostAtOnce,
    waitingPerHolder: mostWaiting,
  });
  return {
    /** Runs `work` when it is the project's turn. Throws if too many wait already. */
    async take<T>({ projectId }: { projectId: string }, work: () => Promise<T>): Promise<T> {
      const endTurn = await turns.acquire(projectId).catch((cause: unknown) => {
        throw refusalOfWait(cause, {
          retryAfterSeconds: 1,
          message: `The project has ${mostAtOnce + mostWaiting} lists, searches and usage queries under way, which is as many as it may have. Send fewer at a time.`,
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
