import { type Kysely, type Selectable, sql } from 'kysely';
import type { Person, ProjectRole } from '../../domain/person.ts';
import { personId, projectId, toUuid } from '../connection/ids.ts';
import type { PersonRow, Schema } from '../connection/schema.ts';

/** A person as operators see them. */
export interface ListedPerson extends Person {
  projects: { id: string; name: string; role: ProjectRole }[];
}

/** A person whose row is locked, so that nothing below changes before the transaction ends. */
interface LockedPerson {
  person: Person;
  passwordHash: string | null;
  /** The project whose admin is the only one to vouch for the address; null if others do. */
  invitedByProjectId: string | null;
}

/** What an absent field leaves as it is. */
interface PersonSettings {
  name?: string | undefined;
  isOperator?: boolean | undefined;
  disabledAt?: Date | null | undefined;
  invitedByProjectId?: string | null | undefined;
  /** Only to take the password away; `setPassword` gives one. */
  passwordHash?: null | undefined;
}

export function peopleTable(db: Kysely<Schema>) {
  return {
    /** Inserts a person. Returns false if the e-mail address is taken. */
    async insert(person: Person, passwordHash: string | null): Promise<boolean> {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('people')
        .values({
          id: toUuid('person', person.id),
          email: person.email,
          name: person.name,
          password_hash: passwordHash,
          is_operator: person.isOperator,
          created_at: person.createdAt,
          last_signed_in_at: person.lastSignedInAt,
          disabled_at: person.disabledAt,
          invited_by_project_id: null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },

    async find(id: string): Promise<Person | null> {
      const row = await db.selectFrom('people').selectAll().where('id', '=', toUuid('person', id)).executeTakeFirst();
      return row ? toPerson(row) : null;
    },

    /** Returns a person and the hash of their password by the e-mail address, whatever its case. */
    async findByEmail(email: string): Promise<{ person: Person; passwordHash: string | null } | null> {
      const row = await db
        .selectFrom('people')
        .selectAll()
        .where(sql<string>`lower(email)`, '=', sql<string>`lower(${email})`)
        .executeTakeFirst();
      return row ? { person: toPerson(row), passwordHash: row.password_hash } : null;
    },

    /** Locks all operators who can sign in, so that one change at a time makes fewer of them. Returns their ids. */
    async lockOperators(): Promise<string[]> {
      const rows = await db
        .selectFrom('people')
        .select('id')
        .where('is_operator', '=', true)
        .where('disabled_at', 'is', null)
        .orderBy('id')
        .forNoKeyUpdate()
        .execute();
      return rows.map((row) => personId(row.id));
    },

    async lock(id: string): Promise<LockedPerson | null> {
      const row = await db
        .selectFrom('people')
        .selectAll()
        .where('id', '=', toUuid('person', id))
        .forNoKeyUpdate()
        .executeTakeFirst();
      if (!row) return null;
      const inviter = row.invited_by_project_id;
      return {
        person: toPerson(row),
        passwordHash: row.password_hash,
        invitedByProjectId: inviter && projectId(inviter),
      };
    },

    /** Counts the people for whom only the admins of this project vouch. */
    async countInvitedBy(project: string): Promise<number> {
      const { invited } = await db
        .selectFrom('people')
        .select(({ fn }) => fn.countAll<string>().as('invited'))
        .where('invited_by_project_id', '=', toUuid('proj', project))
        .executeTakeFirstOrThrow();
      return Number(invited);
    },

    /** Changes what is given. Returns null if there is no such person. */
    async set(id: string, settings: PersonSettings): Promise<Person | null> {
      const { name, isOperator, disabledAt, invitedByProjectId, passwordHash } = settings;
      const row = await db
        .updateTable('people')
        .set((current) => ({
          name: name ?? current.ref('name'),
          ...(isOperator === undefined ? {} : { is_operator: isOperator }),
          ...(disabledAt === undefined ? {} : { disabled_at: disabledAt }),
          ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
          ...(invitedByProjectId === undefined
            ? {}
            : { invited_by_project_id: invitedByProjectId && toUuid('proj', invitedByProjectId) }),
        }))
        .where('id', '=', toUuid('person', id))
        .returningAll()
        .executeTakeFirst();
      return row ? toPerson(row) : null;
    },

    /** Returns everybody with their projects, or one of them, oldest first. */
    async list(only?: string): Promise<ListedPerson[]> {
      let query = db
        .selectFrom('people')
        .selectAll()
        .select(
          sql<[project: string, name: string, role: ProjectRole][]>`
            (select coalesce(json_agg(json_build_array(projects.id, projects.name, role) order by projects.id), '[]')
              from project_members join projects on projects.id = project_id where person_id = people.id)`.as(
            'projects',
          ),
        );
      if (only !== undefined) query = query.where('people.id', '=', toUuid('person', only));
      const rows = await query.orderBy('people.id').limit(1000).execute();
      return rows.map((row) => ({
        ...toPerson(row),
        projects: row.projects.map(([id, name, role]) => ({ id: projectId(id), name, role })),
      }));
    },

    async findPasswordHash(id: string): Promise<string | null> {
      const row = await db
        .selectFrom('people')
        .select('password_hash')
        .where('id', '=', toUuid('person', id))
        .executeTakeFirst();
      return row?.password_hash ?? null;
    },

    /** Returns whether somebody can run the installation in the console. */
    async hasOperator(): Promise<boolean> {
      const row = await db
        .selectFrom('people')
        .select('id')
        .where('is_operator', '=', true)
        .where('disabled_at', 'is', null)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    async setPassword(id: string, passwordHash: string): Promise<void> {
      await db
        .updateTable('people')
        .set({ password_hash: passwordHash })
        .where('id', '=', toUuid('person', id))
        .execute();
    },

    /** Returns false if the person is disabled. */
    async noteSignIn(id: string, at: Date): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('people')
        .set({ last_signed_in_at: at })
        .where('id', '=', toUuid('person', id))
        .where('disabled_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
  };
}

export function toPerson(row: Omit<Selectable<PersonRow>, 'password_hash' | 'invited_by_project_id'>): Person {
  return {
    id: personId(row.id),
    email: row.email,
    name: row.name,
    isOperator: row.is_operator,
    createdAt: row.created_at,
    lastSignedInAt: row.last_signed_in_at,
    disabledAt: row.disabled_at,
  };
}
