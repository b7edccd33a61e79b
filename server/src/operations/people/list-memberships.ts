import type { Membership } from '../../db/access/project-member-table.ts';
import type { Database } from '../../db/database.ts';
import type { SignedIn } from '../../domain/console-session.ts';

/** Returns the projects that a person may use; operators are admins of all. */
export async function listMemberships(
  { db }: { db: Pick<Database, 'projects' | 'projectMembers'> },
  { person }: Pick<SignedIn, 'person'>,
): Promise<Membership[]> {
  if (!person.isOperator) return db.projectMembers.ofPerson(person.id);
  const projects = await db.projects.list();
  return projects.map(({ id, name, isSuspended }) => ({ projectId: id, name, role: 'admin', isSuspended }));
}
