import type { Clock } from '../../domain/clock.ts';
import { createConcurrencyLimit } from '../../domain/concurrency-limit.ts';
import type { RefusingLimit } from '../../domain/limits.ts';
import { refusalOfWait } from '../../errors.ts';

/** Lets each project do a few things of a kind at a time in this process; the next ones wait for their turn, in their order. */
export interface ProjectLimit {
  /** Runs `work` when it is the project's turn. Throws if too many wait already, or for too long. */
  run<T>({ projectId }: { projectId: string }, work: () => Promise<T>): Promise<T>;
}

/** Creates a limit of a kind of work. */
export function createProjectLimit(
  { clock }: { clock: Clock },
  limit: RefusingLimit & { waitMilliseconds: number },
): ProjectLimit {
  const { what, perHolder, waitingPerHolder, waitMilliseconds, retryAfterSeconds } = limit;
  const permits = createConcurrencyLimit(limit);
  return {
    async run({ projectId }, work) {
      const signal = clock.deadline(waitMilliseconds);
      const release = await permits.acquire(projectId, { signal }).catch((cause: unknown) => {
        const message = `Too many ${what} at once in this project (at most ${perHolder} running and ${waitingPerHolder} waiting). Send fewer at a time; try again in ${retryAfterSeconds} s.`;
        throw refusalOfWait(cause, { retryAfterSeconds, message });
      });
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
