import type { Database } from '../../db/database.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { AppError } from '../../errors.ts';

/** Each pending delivery is a workflow and up to ten requests to its receiver over three days. */
export const maximumPending = 10_000;

/**
 * Refuses a delivery that a caller asks for while its project has too many pending ones in this mode. Deliveries of
 * events are never refused: there are only as many as the project's tasks cause.
 */
export async function refuseManyPending(db: Database, owner: ProjectMode): Promise<void> {
  if (!(await db.webhookDeliveries.hasPending(owner, maximumPending))) return;
  throw new AppError('rate_limited', {
    retryAfterSeconds: 60,
    message:
      `Pending webhook delivery limit reached (${maximumPending}). Wait until some have ended, or delete an endpoint ` +
      'that does not respond, which ends its deliveries.',
  });
}
