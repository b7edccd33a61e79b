import type { Database } from '../../db/database.ts';
import type { ConsoleUser } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../errors.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { requireProject } from '../projects/require-project.ts';
import { requirePersonId } from './require-person-id.ts';

/** Takes a person out of a project. Their tokens for it stop working at once; their tasks stay. */
export async function removeMember(
  { db, clock }: { db: Pick<Database, 'transaction'>; clock: Clock },
  actor: ConsoleUser,
  { projectId, personId }: { projectId: string; personId: string },
): Promise<void> {
  const now = clock.now();
  requirePersonId(personId);
  await db.transaction(async (tables) => {
    await requireProject(tables, projectId);
    if (!(await tables.projectMembers.remove(projectId, personId)))
      throw new AppError('not_found', { message: 'Person not found.' });
    await recordAuditEvent(tables, actor, { action: 'member.removed', objectId: personId, of: { projectId } }, now);
  });
}
