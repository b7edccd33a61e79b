import type { Member } from '../../db/access/project-member-table.ts';
import type { Database, Tables } from '../../db/database.ts';
import type { Origin } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Person, ProjectRole } from '../../domain/person.ts';
import { AppError } from '../../errors.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { requireProject } from '../projects/require-project.ts';
import { createWithin } from './create-person.ts';
import { unverifiedAddress } from './unverified-address.ts';

/** Limited because nobody can review more, and because an address that one project invited is taken for the others. */
const membersAtMost = 1000;

/** Gives somebody a role by e-mail address. Somebody new gets a link that sets a password, shown only this once. */
export async function addMember(
  { db, clock, consoleUrl }: { db: Pick<Database, 'transaction'>; clock: Clock; consoleUrl: string },
  { person: admin, origin }: { person: Person; origin: Origin },
  projectId: string,
  { email, name, role }: { email: string; name?: string | undefined; role: ProjectRole },
): Promise<{ member: Member; setupUrl: string | null }> {
  const now = clock.now();
  const actor = { person: admin, origin };
  return db.transaction(async (tables) => {
    await requireProject(tables, projectId);
    const invitedByProjectId = admin.isOperator ? null : projectId;
    await requireRoom(tables, projectId);
    const made = await createWithin(
      tables,
      actor,
      { email, name, isOperator: false, invitedByProjectId },
      consoleUrl,
      now,
    );
    const person = made?.person ?? (await tables.people.findByEmail(email))?.person;
    const locked = person && (await tables.people.lock(person.id));
    if (!locked) throw new AppError('overloaded');
    const { invitedByProjectId: inviter } = locked;
    if (inviter !== null && inviter !== projectId) throw unverifiedAddress('email');
    await tables.projectMembers.set(projectId, locked.person.id, role, now);
    const event = {
      action: 'member.changed',
      objectId: locked.person.id,
      of: { projectId },
      detail: { role },
    } as const;
    await recordAuditEvent(tables, actor, event, now);
    const { id: personId, lastSignedInAt } = locked.person;
    const member = { personId, email: locked.person.email, name: locked.person.name, lastSignedInAt };
    return { member: { ...member, role, isFromGroups: false }, setupUrl: made?.setupUrl ?? null };
  });
}

async function requireRoom({ people, projectMembers }: Tables, projectId: string): Promise<void> {
  const most = Math.max(await projectMembers.count(projectId), await people.countInvitedBy(projectId));
  if (most < membersAtMost) return;
  throw new AppError('too_many_members', {
    message: `Member limit reached (${membersAtMost} members or invited people). Remove members, or ask an operator.`,
  });
}
