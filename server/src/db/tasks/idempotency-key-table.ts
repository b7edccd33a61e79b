import { type Kysely, type Selectable, sql } from 'kysely';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { taskId, toUuid } from '../connection/ids.ts';
import type { IdempotencyKeyRow, Schema } from '../connection/schema.ts';

/** The scope within which a key is unique. */
export interface IdempotencyScope extends ProjectMode {
  route: string;
  key: string;
}

/** The hashes of a request. */
export interface RequestHashes {
  /** The hash of everything but the image. */
  requestSha256: Buffer;
  /** The hash of the image as the request gives it: a URL, bytes or a file id. Null without an image. */
  imageSha256: Buffer | null;
}

/** The state of a key: reserved while its request is processed, then tied to the task that the request created. */
export type IdempotencyRecord = RequestHashes &
  (
    | { state: 'reserved' }
    /** `response` is null once the task was deleted. */
    | { state: 'created'; taskId: string; response: string | null }
  );

/** How long a key is remembered. */
export const idempotencyDays = 7;
const lifetime = sql`make_interval(days => ${sql.lit(idempotencyDays)})`;

export function idempotencyKeyTable(db: Kysely<Schema>) {
  const isScope = ({ projectId, livemode, route, key }: IdempotencyScope) => ({
    project_id: toUuid('proj', projectId),
    livemode,
    route,
    key,
  });

  /**
   * Takes the key unless another request holds it; waits for a concurrent insert. Lapsed reservations and expired keys
   * are taken over: their owner is replaced, so they lead to no task.
   */
  async function take(
    scope: IdempotencyScope,
    row: RequestHashes & {
      owner: string | null;
      reservedUntil: Date | null;
      created: { taskId: string; response: string } | null;
    },
    at: Date,
  ): Promise<boolean> {
    const result = await sql`
      insert into idempotency_keys
        (project_id, livemode, route, key, request_sha256, image_sha256, owner, reserved_until, task_id, answer, created_at)
      values (${toUuid('proj', scope.projectId)}, ${scope.livemode}, ${scope.route}, ${scope.key}, ${row.requestSha256},
        ${row.imageSha256}, ${row.owner}, ${row.reservedUntil}, ${row.created && toUuid('task', row.created.taskId)},
        ${row.created?.response ?? null}, ${at})
      on conflict (project_id, livemode, route, key) do update set
        request_sha256 = excluded.request_sha256, image_sha256 = excluded.image_sha256, owner = excluded.owner,
        reserved_until = excluded.reserved_until, task_id = excluded.task_id, answer = excluded.answer, created_at = excluded.created_at
      where idempotency_keys.created_at <= excluded.created_at - ${lifetime}
        or (idempotency_keys.task_id is null and idempotency_keys.reserved_until <= excluded.created_at)`.execute(db);
    return result.numAffectedRows === 1n;
  }

  return {
    /** Returns the state of a key, or null if the key is new or expired, or if its reservation has lapsed. */
    async find(scope: IdempotencyScope, at: Date): Promise<IdempotencyRecord | null> {
      const row = await db
        .selectFrom('idempotency_keys')
        .select(['request_sha256', 'image_sha256', 'task_id', 'answer'])
        .where((where) => where.and(isScope(scope)))
        .where('created_at', '>', sql<Date>`${at}::timestamptz - ${lifetime}`)
        .where((where) => where.or([where('task_id', 'is not', null), where('reserved_until', '>', at)]))
        .executeTakeFirst();
      return row ? toRecord(row) : null;
    },

    /**
     * Ties the key to a task inside the transaction that accepts it, and stores the response for replays: a second
     * request waits until that transaction ends. Returns false if the key is taken, and `find` returns by what.
     */
    claim: (
      scope: IdempotencyScope,
      hashes: RequestHashes,
      created: { taskId: string; response: string },
      at: Date,
    ): Promise<boolean> => take(scope, { ...hashes, owner: null, reservedUntil: null, created }, at),

    /** Reserves the key until a moment; false if it is taken. Commit it before fetching an image. */
    reserve: (
      scope: IdempotencyScope,
      hashes: RequestHashes,
      reservation: { owner: string; until: Date },
      at: Date,
    ): Promise<boolean> =>
      take(scope, { ...hashes, owner: reservation.owner, reservedUntil: reservation.until, created: null }, at),

    /** Ties an owner's reservation to its task, like `claim`; returns false if the owner has lost it. */
    async redeem(
      scope: IdempotencyScope,
      owner: string,
      { taskId: task, response }: { taskId: string; response: string },
    ): Promise<boolean> {
      const result = await db
        .updateTable('idempotency_keys')
        .set({ task_id: toUuid('task', task), answer: response, owner: null, reserved_until: null })
        .where((where) => where.and({ ...isScope(scope), owner }))
        .where('task_id', 'is', null)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },

    /** Gives a reservation up, so that the next request need not wait until it lapses. */
    async release(scope: IdempotencyScope, owner: string): Promise<void> {
      await db
        .deleteFrom('idempotency_keys')
        .where((where) => where.and({ ...isScope(scope), owner }))
        .where('task_id', 'is', null)
        .execute();
    },

    /** Deletes the stored creation response of a task, because it contains the prompt. */
    async eraseResponse(task: string): Promise<void> {
      await db
        .updateTable('idempotency_keys')
        .set({ answer: null })
        .where('task_id', '=', toUuid('task', task))
        .where('answer', 'is not', null)
        .execute();
    },

    /** Deletes at most `limit` keys that were first used before a moment; returns how many. */
    async deleteOlderThan(moment: Date, limit: number): Promise<number> {
      const result = await sql`
        delete from idempotency_keys where ctid = any(array(
          select ctid from idempotency_keys where created_at < ${moment} order by created_at limit ${limit}
          for update skip locked))`.execute(db);
      return Number(result.numAffectedRows ?? 0n);
    },
  };
}

function toRecord(
  row: Pick<Selectable<IdempotencyKeyRow>, 'request_sha256' | 'image_sha256' | 'task_id' | 'answer'>,
): IdempotencyRecord {
  const hashes = { requestSha256: row.request_sha256, imageSha256: row.image_sha256 };
  if (row.task_id !== null) return { ...hashes, state: 'created', taskId: taskId(row.task_id), response: row.answer };
  return { ...hashes, state: 'reserved' };
}
