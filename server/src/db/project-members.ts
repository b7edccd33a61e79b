import type { Kysely } from 'kysely';
import type { ProjectRole } from '../domain/person.ts';
import { projectId, toUuid } from './ids.ts';
import type { Schema } from './schema.ts';

/** A project that a person may use. */
export interface Membership {
  projectId: string;
  name: string;
  role: ProjectRole;
  isSuspended: boolean;
}

export function projectMemberTable(db: Kysely<Schema>) {
  return {
    /** Returns the projects of a person, oldest first. */
    async ofPerson(id: string): Promise<Membership[]> {
      const rows = await db
        .selectFrom('project_members')
        .innerJoin('projects', 'projects.id', 'project_members.project_id')
        .select(['projects.id', 'projects.name', 'projects.suspended_at', 'project_members.role'])
        .where('project_members.person_id', '=', toUuid('person', id))
        .orderBy('projects.id')
        .limit(1000)
        .execute();
      return rows.map((row) => ({
        projectId: projectId(row.id),
        name: row.name,
        role: row.role,
        isSuspended: row.suspended_at !== null,
      }));
    },
  };
}
