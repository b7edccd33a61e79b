import type { Tables } from '../../db/database.ts';
import type { ConsoleUser } from '../../domain/actor.ts';
import type { RolesFromGroups } from '../../domain/group-roles.ts';
import type { Person } from '../../domain/person.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';

/** Gives a person the roles of their groups and takes those of former groups. Roles that people have given stay. */
export async function followGroups(
  tables: Pick<Tables, 'people' | 'projectMembers' | 'auditEvents'>,
  person: Person,
  { roles, isOperator }: RolesFromGroups,
  actor: ConsoleUser,
  now: Date,
): Promise<Person> {
  const { changed, removed } = await tables.projectMembers.followGroups(person.id, roles, now);
  const from = { is_from_groups: true };
  for (const { projectId, role } of changed) {
    const event = {
      action: 'member.changed',
      objectId: person.id,
      of: { projectId },
      detail: { role, ...from },
    } as const;
    await recordAuditEvent(tables, actor, event, now);
  }
  for (const projectId of removed) {
    const event = { action: 'member.removed', objectId: person.id, of: { projectId }, detail: from } as const;
    await recordAuditEvent(tables, actor, event, now);
  }
  if (isOperator === null || isOperator === person.isOperator) return person;
  await tables.people.set(person.id, { isOperator });
  const detail = { is_operator: isOperator, ...from };
  await recordAuditEvent(tables, actor, { action: 'person.changed', objectId: person.id, detail }, now);
  return { ...person, isOperator };
}
