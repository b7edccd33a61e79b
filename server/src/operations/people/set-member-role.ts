import type { Member } from '../../db/access/project-member-table.ts';
import type { Database } from '../../db/database.ts';
import type { ConsoleUser } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import type { ProjectRole } from '../../domain/person.ts';
import { AppError } from '../../errors.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { requireProject } from '../projects/require-project.ts';
import { requirePersonId } from './require-person-id.ts';

/** Changes the role of a member. From then on the role does not follow groups any more. */
export async function setMemberRole(
  { db, clock }: { db: Pick<Database, 'transaction'>; clock: Clock },
  actor: ConsoleUser,
  { projectId, personId, role }: { projectId: string; personId: string; role: ProjectRole },
): Promise<Member> {
  const now = clock.now();
  requirePersonId(personId);
  return db.transaction(async (tables) => {
    await requireProject(tables, projectId);
    // Only members: the id of somebody else must not say whether that person exists.
    if (!(await tables.projectMembers.find(projectId, personId)))
      throw new AppError('not_found', { message: 'Person not found.' });
    await tables.projectMembers.set(projectId, personId, role, now);
    const event = { action: 'member.changed', objectId: personId, of: { projectId }, detail: { role } } as const;
    await recordAuditEvent(tables, actor, event, now);
    const member = await tables.projectMembers.find(projectId, personId);
    if (!member) throw new AppError('not_found');
    return member;
  });
}
