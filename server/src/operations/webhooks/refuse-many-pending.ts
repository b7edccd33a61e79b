import type { Database } from '../../db/database.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { AppError } from '../../errors.ts';

/** Each pending delivery is a workflow and up to ten requests to its receiver over three days. */
export const maximumPending = 10_000;

/** Refuses a delivery that a caller asks for beyond the limit; those of events are bounded by the project's tasks. */
export async function refuseManyPending(db: Database, owner: ProjectMode): Promise<void> {
  if (!(await db.webhookDeliveries.hasPending(owner, maximumPending))) return;
  throw new AppError('rate_limited', {
    retryAfterSeconds: 60,
    message:
      `Pending webhook delivery limit reached (${maximumPending}). Wait until some have ended, or delete an endpoint ` +
      'that does not respond, which ends its deliveries.',
  });
}
