import { type Kysely, sql } from 'kysely';
import { isUsableSession } from '../../domain/person.ts';
import type { ErrorCode } from '../../errors.ts';
import { toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';
import { earlierOf } from './find-key-by-hash.ts';
import { type SessionRow, toSession } from './find-key-by-id.ts';

/** A key, and the session of its person that uses it; null if a program does. */
export interface KeyUser {
  keyId: string;
  sessionId: string | null;
}

interface Row extends SessionRow {
  /** Counted from 1. */
  place: number;
  revoked_at: Date | null;
  expires_at: Date | null;
  overlap_ends_at: Date | null;
  suspended_at: Date | null;
}

/** Returns why each of these is refused at a moment, or null if it is accepted, in the given order and one query. */
export async function findRefusals(
  db: Kysely<Schema>,
  users: readonly KeyUser[],
  at: Date,
): Promise<(ErrorCode | null)[]> {
  const keys = users.map(({ keyId }) => toUuid('key', keyId));
  const sessions = users.map(({ sessionId }) => sessionId && toUuid('sess', sessionId));
  const { rows } = await sql<Row>`
    select users.place::int, api_keys.revoked_at, api_keys.expires_at, api_keys.overlap_ends_at, projects.suspended_at,
      console_sessions.person_id as session_person_id, console_sessions.signed_in_at,
      console_sessions.expires_at as session_expires_at, console_sessions.ended_at as session_ended_at,
      people.disabled_at, people.is_operator, project_members.role
    from unnest(${keys}::uuid[], ${sessions}::uuid[]) with ordinality as users (key_id, session_id, place)
    join api_keys on api_keys.id = users.key_id
    join projects on projects.id = api_keys.project_id
    left join console_sessions
      on console_sessions.id = users.session_id and console_sessions.person_id = api_keys.person_id
    left join people on people.id = console_sessions.person_id
    left join project_members on project_members.person_id = console_sessions.person_id
      and project_members.project_id = api_keys.project_id`.execute(db);
  const refusals: (ErrorCode | null)[] = users.map(() => null);
  for (const row of rows) {
    const index = row.place - 1;
    refusals[index] = refusalOf(row, { hasSession: users[index]?.sessionId !== null, at });
  }
  return refusals;
}

function refusalOf(row: Row, { hasSession, at }: { hasSession: boolean; at: Date }): ErrorCode | null {
  if (row.revoked_at !== null) return 'revoked_api_key';
  const expiresAt = earlierOf(row.expires_at, row.overlap_ends_at);
  if (expiresAt !== null && expiresAt <= at) return 'expired_api_key';
  const session = toSession(row);
  if (hasSession && !(session && isUsableSession(session, at))) return 'revoked_api_key';
  return row.suspended_at === null ? null : 'project_suspended';
}
