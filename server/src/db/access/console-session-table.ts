import { type Kysely, type Selectable, sql } from 'kysely';
import {
  type ConsoleSession,
  idleMilliseconds,
  type SignedIn,
  type SignInMethod,
} from '../../domain/console-session.ts';
import type { ProjectRole } from '../../domain/person.ts';
import { personId, projectId, sessionId, toUuid } from '../connection/ids.ts';
import type { ConsoleSessionRow, Schema } from '../connection/schema.ts';
import { toPerson } from './people-table.ts';

export function consoleSessionTable(db: Kysely<Schema>) {
  /** The sessions that still work. */
  const usable = (now: Date) =>
    db
      .selectFrom('console_sessions')
      .where('ended_at', 'is', null)
      .where('console_sessions.expires_at', '>', now)
      .where('last_used_at', '>', new Date(now.getTime() - idleMilliseconds));

  return {
    async insert(session: ConsoleSession, sha256: Buffer): Promise<void> {
      await db
        .insertInto('console_sessions')
        .values({
          id: toUuid('sess', session.id),
          person_id: toUuid('person', session.personId),
          sha256,
          method: session.method,
          created_at: session.createdAt,
          signed_in_at: session.signedInAt,
          last_used_at: session.lastUsedAt,
          expires_at: session.expiresAt,
          ended_at: null,
          address: session.address,
          user_agent: session.userAgent,
        })
        .execute();
    },

    /** Returns who is signed in with a cookie; null if the session or the person may not be used any more. */
    async findByHash(sha256: Buffer, now: Date): Promise<SignedIn | null> {
      const row = await usable(now)
        .innerJoin('people', 'people.id', 'console_sessions.person_id')
        .selectAll('console_sessions')
        .select([
          'people.email',
          'people.name',
          'people.is_operator',
          'people.created_at as person_created_at',
          'people.last_signed_in_at',
          'people.disabled_at',
          sql<[project: string, role: ProjectRole][]>`
            (select coalesce(json_agg(json_build_array(project_id, role)), '[]') from project_members
              where project_members.person_id = people.id)`.as('roles'),
        ])
        .where('sha256', '=', sha256)
        .where('people.disabled_at', 'is', null)
        .executeTakeFirst();
      if (!row) return null;
      return {
        session: toSession(row),
        person: toPerson({ ...row, id: row.person_id, created_at: row.person_created_at }),
        roles: new Map(row.roles.map(([project, role]) => [projectId(project), role])),
      };
    },

    /** Returns the sessions of a person that still work, newest first. */
    async ofPerson(id: string, now: Date): Promise<ConsoleSession[]> {
      const rows = await usable(now)
        .selectAll()
        .where('person_id', '=', toUuid('person', id))
        .orderBy('id', 'desc')
        .limit(100)
        .execute();
      return rows.map(toSession);
    },

    async find(id: string, now: Date): Promise<ConsoleSession | null> {
      const row = await usable(now).selectAll().where('id', '=', toUuid('sess', id)).executeTakeFirst();
      return row ? toSession(row) : null;
    },

    async noteUse(id: string, at: Date): Promise<void> {
      await db.updateTable('console_sessions').set({ last_used_at: at }).where('id', '=', toUuid('sess', id)).execute();
    },

    /** Notes that the person has proved again who they are. */
    async confirm(id: string, at: Date): Promise<void> {
      await db
        .updateTable('console_sessions')
        .set({ signed_in_at: at, last_used_at: at })
        .where('id', '=', toUuid('sess', id))
        .execute();
    },

    /** Ends a session. Returns false if it had ended already. */
    async end(id: string, at: Date): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('console_sessions')
        .set({ ended_at: at })
        .where('id', '=', toUuid('sess', id))
        .where('ended_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    /** Ends all sessions of a person, except one if it is given. Returns their ids. */
    async endAllOf(person: string, at: Date, { except }: { except?: string | undefined } = {}): Promise<string[]> {
      let query = db
        .updateTable('console_sessions')
        .set({ ended_at: at })
        .where('person_id', '=', toUuid('person', person))
        .where('ended_at', 'is', null);
      if (except !== undefined) query = query.where('id', '!=', toUuid('sess', except));
      return (await query.returning('id').execute()).map((row) => sessionId(row.id));
    },

    /** Deletes at most `limit` sessions that do not work any more. Returns how many it deleted. */
    async deleteEnded(now: Date, limit: number): Promise<number> {
      const idle = new Date(now.getTime() - idleMilliseconds);
      const old = db
        .selectFrom('console_sessions')
        .select('id')
        .where((row) =>
          row.or([row('expires_at', '<=', now), row('ended_at', 'is not', null), row('last_used_at', '<=', idle)]),
        )
        .limit(limit);
      const { numDeletedRows } = await db.deleteFrom('console_sessions').where('id', 'in', old).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

function toSession(row: Selectable<ConsoleSessionRow>): ConsoleSession {
  return {
    id: sessionId(row.id),
    personId: personId(row.person_id),
    // Only `insert` writes the column.
    method: row.method as SignInMethod,
    createdAt: row.created_at,
    signedInAt: row.signed_in_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    address: row.address,
    userAgent: row.user_agent,
  };
}
