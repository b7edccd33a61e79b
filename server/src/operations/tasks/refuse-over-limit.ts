import type { Database } from '../../db/database.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { createBurst } from '../../domain/rate-limit.ts';
import { AppError, rateUsedUp } from '../../errors.ts';
import { refuseFullStorage } from '../files/refuse-full-storage.ts';

/** Refuses a create that a limit of the project forbids. */
export async function refuseOverLimit(
  tables: Pick<Database, 'projectSlots'>,
  project: ProjectMode,
  pool: string,
  imageBytes = 0,
): Promise<void> {
  const quota = await tables.projectSlots.createQuotaState(project, pool);
  if (!quota || quota.isSuspended) throw new AppError('project_suspended');
  refuseFullStorage(quota.storage, imageBytes);
  if (quota.waiting >= quota.waitingLimit) throw tooManyWaiting('this model', quota.waitingLimit);
  if (quota.totalWaiting >= quota.totalWaitingLimit) throw tooManyWaiting('all models', quota.totalWaitingLimit);
  if (quota.retryAfterSeconds > 0) {
    const { createsPerMinute: perMinute, retryAfterSeconds } = quota;
    throw rateUsedUp({
      what: 'creates',
      burst: createBurst,
      perMinute,
      waitMilliseconds: retryAfterSeconds * 1000,
    });
  }
}

export function tooManyWaiting(what: 'this model' | 'all models', limit?: number): AppError {
  const limited = limit === undefined ? '' : ` (${limit})`;
  return new AppError('too_many_waiting_tasks', {
    retryAfterSeconds: 60,
    message: `Waiting task limit reached for ${what}${limited}. Wait until some have started.`,
  });
}
