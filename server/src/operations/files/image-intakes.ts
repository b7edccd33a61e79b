import type { Caller } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { createFairSemaphore } from '../../domain/fair-semaphore.ts';
import { createBurst } from '../../domain/rate-limit.ts';
import { createRateMemory } from '../../domain/rate-memory.ts';
import { rateUsedUp, refusalOfWait } from '../../errors.ts';

/** The images that this process fetches, decodes and stores for callers. Each may hold some tens of megabytes. */
export interface ImageIntakes {
  /**
   * Counts a create with an image against the creation limit before its image is touched, whether or not it makes a
   * task in the end. Postgres counts only tasks, so images that fail would otherwise be free.
   */
  countCreate(caller: Pick<Caller, 'projectId' | 'livemode' | 'limits'>): void;
  /** Runs `work` once the project may take in another image. Projects take turns. */
  run<T>(projectId: string, work: () => Promise<T>): Promise<T>;
}

/** Enough to keep the decoders of a large machine busy: most of the time goes into fetching. */
const limits = { total: 12, perHolder: 4, waitingPerHolder: 64 };
const longestWaitMilliseconds = 10_000;
const retryAfterSeconds = 5;

export function createImageIntakes({ clock }: { clock: Clock }): ImageIntakes {
  const turns = createFairSemaphore(limits);
  const creates = createRateMemory();

  return {
    countCreate({ projectId, livemode, limits: { createsPerMinute } }) {
      // More than tasks may use at once, so that this refuses nobody whose images can be used.
      const rate = { perMinute: createsPerMinute, burst: createsPerMinute + createBurst };
      const refused = creates.take(`${projectId} ${livemode}`, rate, clock.now().getTime());
      if (!refused) return;
      const remark = 'Creates with an image count even if the image cannot be used.';
      throw rateUsedUp({ what: 'creates with an image', ...rate, remark, ...refused });
    },

    async run(projectId, work) {
      const signal = clock.deadline(longestWaitMilliseconds);
      const endTurn = await turns.acquire(projectId, { signal }).catch((cause: unknown) => {
        throw refusalOfWait(cause, {
          retryAfterSeconds,
          message: `The project already has ${limits.perHolder} images being fetched or decoded, and others waiting. Try again in ${retryAfterSeconds} s.`,
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
