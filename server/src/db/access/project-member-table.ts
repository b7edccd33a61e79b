import { type Kysely, sql } from 'kysely';
import type { ProjectRole } from '../../domain/person.ts';
import { personId, projectId, toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';

/** A project that a person may use. */
export interface Membership {
  projectId: string;
  name: string;
  role: ProjectRole;
  isSuspended: boolean;
}

/** A person of a project. */
export interface Member {
  personId: string;
  email: string;
  name: string;
  role: ProjectRole;
  isFromGroups: boolean;
  lastSignedInAt: Date | null;
}

export function projectMemberTable(db: Kysely<Schema>) {
  const select = (project: string) =>
    db
      .selectFrom('project_members')
      .innerJoin('people', 'people.id', 'project_members.person_id')
      .select(['people.id', 'email', 'name', 'role', 'is_from_groups', 'last_signed_in_at'])
      .where('project_id', '=', toUuid('proj', project));

  return {
    /** Returns the members of a project by their address. */
    async ofProject(project: string): Promise<Member[]> {
      const rows = await select(project).orderBy('email').limit(1000).execute();
      return rows.map(toMember);
    },

    async find(project: string, person: string): Promise<Member | null> {
      const row = await select(project).where('people.id', '=', toUuid('person', person)).executeTakeFirst();
      return row ? toMember(row) : null;
    },

    /** Gives a person a role that does not follow groups. */
    async set(project: string, person: string, role: ProjectRole, at: Date): Promise<void> {
      await db
        .insertInto('project_members')
        .values({
          project_id: toUuid('proj', project),
          person_id: toUuid('person', person),
          role,
          is_from_groups: false,
          created_at: at,
        })
        .onConflict((conflict) =>
          conflict.columns(['project_id', 'person_id']).doUpdateSet({ role, is_from_groups: false }),
        )
        .execute();
    },

    async count(project: string): Promise<number> {
      const { members } = await db
        .selectFrom('project_members')
        .select(({ fn }) => fn.countAll<string>().as('members'))
        .where('project_id', '=', toUuid('proj', project))
        .executeTakeFirstOrThrow();
      return Number(members);
    },

    /** Returns false if the person was not a member. */
    async remove(project: string, person: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('project_members')
        .where('project_id', '=', toUuid('proj', project))
        .where('person_id', '=', toUuid('person', person))
        .executeTakeFirst();
      return numDeletedRows === 1n;
    },

    /** Takes everybody out of a project. Returns their ids. */
    async removeAll(project: string): Promise<string[]> {
      const removed = await db
        .deleteFrom('project_members')
        .where('project_id', '=', toUuid('proj', project))
        .returning('person_id')
        .execute();
      return removed.map((row) => personId(row.person_id));
    },

    /** Gives a person these roles from groups and takes other roles from groups. Returns what has changed. */
    async followGroups(
      person: string,
      roles: ReadonlyMap<string, ProjectRole>,
      at: Date,
    ): Promise<{ changed: { projectId: string; role: ProjectRole }[]; removed: string[] }> {
      const id = toUuid('person', person);
      const projects = Array.from(roles.keys(), (project) => toUuid('proj', project));
      const removed = await db
        .deleteFrom('project_members')
        .where('person_id', '=', id)
        .where('is_from_groups', '=', true)
        .where('project_id', '<>', sql<string>`all(${projects}::uuid[])`)
        .returning('project_id')
        .execute();
      // The settings may name a project that does not exist. A role that somebody has given stays as it is.
      const changed = await sql<{ project_id: string; role: ProjectRole }>`
        insert into project_members (project_id, person_id, role, is_from_groups, created_at)
        select projects.id, ${id}, given.role, true, ${at}
        from unnest(${projects}::uuid[], ${[...roles.values()]}::text[]) as given (project_id, role)
        join projects on projects.id = given.project_id
        on conflict (project_id, person_id) do update set role = excluded.role
          where project_members.is_from_groups and project_members.role <> excluded.role
        returning project_id, role`.execute(db);
      return {
        changed: changed.rows.map((row) => ({ projectId: projectId(row.project_id), role: row.role })),
        removed: removed.map((row) => projectId(row.project_id)),
      };
    },

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

interface MemberColumns {
  id: string;
  email: string;
  name: string;
  role: ProjectRole;
  is_from_groups: boolean;
  last_signed_in_at: Date | null;
}

function toMember(row: MemberColumns): Member {
  return {
    personId: personId(row.id),
    email: row.email,
    name: row.name,
    role: row.role,
    isFromGroups: row.is_from_groups,
    lastSignedInAt: row.last_signed_in_at,
  };
}
