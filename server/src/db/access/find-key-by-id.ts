import type { Kysely } from 'kysely';
import type { ProjectRole, ProjectSession } from '../../domain/person.ts';
import { compileOnce } from '../connection/compile-once.ts';
import { personId, toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';
import { type ShownTaskRow, taskColumns } from '../tasks/task-row.ts';
import { liveColumns, type StoredView, toView } from '../tasks/task-view-table.ts';
import { type FoundKey, keyRows, taskRow, toFoundKey } from './find-key-by-hash.ts';

/** A session, its person, and what the person is in the project of a key. */
export type FoundSession = ProjectSession & { personId: string; signedInAt: Date };

/** A key, and the session that was asked for if the key is of the session's person. */
export type FoundKeyOfToken = FoundKey & { isOfPerson: boolean; session: FoundSession | null };

interface Wanted {
  key: string;
  session: string | null;
}

/** Only a session of the key's own person is joined, so that no session can use the key of another person. */
const keyAndSessionRows = (db: Kysely<Schema>, { key, session }: Wanted) =>
  keyRows(db)
    .where('api_keys.id', '=', key)
    .leftJoin('console_sessions', (join) =>
      join.on('console_sessions.id', '=', session).onRef('console_sessions.person_id', '=', 'api_keys.person_id'),
    )
    .leftJoin('people', 'people.id', 'console_sessions.person_id')
    .leftJoin('project_members', (join) =>
      join
        .onRef('project_members.person_id', '=', 'console_sessions.person_id')
        .onRef('project_members.project_id', '=', 'api_keys.project_id'),
    )
    .select([
      'api_keys.person_id as key_person_id',
      'console_sessions.person_id as session_person_id',
      'console_sessions.signed_in_at',
      'console_sessions.expires_at as session_expires_at',
      'console_sessions.ended_at as session_ended_at',
      'people.disabled_at',
      'people.is_operator',
      'project_members.role',
    ]);

const keyAndSession = compileOnce((db, wanted: Wanted) => keyAndSessionRows(db, wanted));

const keySessionAndTask = compileOnce((db, wanted: Wanted & { task: string }) =>
  keyAndSessionRows(db, wanted)
    .leftJoin(taskRow(db, wanted.task), (join) =>
      join.onRef('tasks.project_id', '=', 'api_keys.project_id').onRef('tasks.livemode', '=', 'api_keys.livemode'),
    )
    .leftJoin('live_entries', 'live_entries.task_id', 'tasks.id')
    .select([...taskColumns, ...liveColumns]),
);

/** Returns a key by its id, a session of its person, and a task, in one statement, as `findKeyByHash` does. */
export async function findKeyById(
  db: Kysely<Schema>,
  keyId: string,
  { sessionId, taskId }: { sessionId: string | null; taskId: string | null },
): Promise<FoundKeyOfToken | null> {
  const wanted = { key: toUuid('key', keyId), session: sessionId && toUuid('sess', sessionId) };
  if (taskId === null) {
    const row = (await db.executeQuery(keyAndSession(wanted))).rows[0];
    return row ? toFound(row, null) : null;
  }
  const row = (await db.executeQuery(keySessionAndTask({ ...wanted, task: toUuid('task', taskId) }))).rows[0];
  if (!row) return null;
  const view = row.id === null ? null : toView(row as typeof row & ShownTaskRow);
  return toFound(row, view);
}

type Row = NonNullable<Awaited<ReturnType<ReturnType<typeof keyAndSessionRows>['executeTakeFirst']>>>;

function toFound(row: Row, view: StoredView | null): FoundKeyOfToken {
  return { ...toFoundKey(row, view), isOfPerson: row.key_person_id !== null, session: toSession(row) };
}

export interface SessionRow {
  session_person_id: string | null;
  signed_in_at: Date | null;
  session_expires_at: Date | null;
  session_ended_at: Date | null;
  disabled_at: Date | null;
  is_operator: boolean | null;
  role: ProjectRole | null;
}

/** Reads the columns of `keyAndSessionRows`; null if the join found no session. */
export function toSession(row: SessionRow): FoundSession | null {
  const { session_person_id: person, signed_in_at: signedInAt, session_expires_at: expiresAt } = row;
  if (person === null || signedInAt === null || expiresAt === null) return null;
  return {
    personId: personId(person),
    signedInAt,
    expiresAt,
    endedAt: row.session_ended_at,
    isPersonDisabled: row.disabled_at !== null,
    isOperator: row.is_operator === true,
    role: row.role,
  };
}
