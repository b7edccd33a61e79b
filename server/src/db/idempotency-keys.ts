import { type Kysely, type Selectable, sql } from 'kysely';
import type { ProjectMode } from '../domain/project-mode.ts';
import { taskId, toUuid } from './ids.ts';
import type { IdempotencyKeyRow, Schema } from './schema.ts';

/** What a key is unique within. */
export interface IdempotencyScope extends ProjectMode {
  route: string;
  key: string;
}

/** What a request asked for, as hashes. */
export interface RequestHashes {
  /** Of all but the image. */
  requestSha256: Buffer;
  /** Of what it says of the image: its address, its bytes or a file's id. */
  imageSha256: Buffer | null;
}

/** What is known of a key: reserved while its request is being carried out, then the task that came of it. */
export type IdempotencyRecord = RequestHashes &
  (
    | { state: 'reserved' }
    /** `answer` is null once the task was deleted. */
    | { state: 'created'; taskId: string; answer: string | null }
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
   * Writes the row unless another holds the key; a concurrent insert is waited for. What has lapsed or is past its time is
   * taken over, whatever its request was: no task can come of it any more, because its owner is no longer in the row.
   */
  async function take(
    scope: IdempotencyScope,
    row: RequestHashes & { owner: string | null; reservedUntil: Date | null; taskId: string | null },
    at: Date,
  ): Promise<boolean> {
    const result = await sql`
      insert into idempotency_keys
        (project_id, livemode, route, key, request_sha256, image_sha256, owner, reserved_until, task_id, answer, created_at)
      values (${toUuid('proj', scope.projectId)}, ${scope.livemode}, ${scope.route}, ${scope.key}, ${row.requestSha256},
        ${row.imageSha256}, ${row.owner}, ${row.reservedUntil}, ${row.taskId && toUuid('task', row.taskId)}, null, ${at})
      on conflict (project_id, livemode, route, key) do update set
        request_sha256 = excluded.request_sha256, image_sha256 = excluded.image_sha256, owner = excluded.owner,
        reserved_until = excluded.reserved_until, task_id = excluded.task_id, answer = null, created_at = excluded.created_at
      where idempotency_keys.created_at <= excluded.created_at - ${lifetime}
        or (idempotency_keys.task_id is null and idempotency_keys.reserved_until <= excluded.created_at)`.execute(db);
    return result.numAffectedRows === 1n;
  }

  return {
    /** What the key stands for; null when it is new, lapsed or past its time. */
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
     * Ties the key to a task inside the transaction that accepts it: whoever comes second waits for its end. False when
     * the key is taken; `find` says by what. The answer follows with `storeResponse` in the same transaction.
     */
    claim: (scope: IdempotencyScope, hashes: RequestHashes, task: string, at: Date): Promise<boolean> =>
      take(scope, { ...hashes, owner: null, reservedUntil: null, taskId: task }, at),

    /** Keeps the key for one owner until a moment; false when it is taken. To be committed before an image is fetched. */
    reserve: (
      scope: IdempotencyScope,
      hashes: RequestHashes,
      reservation: { owner: string; until: Date },
      at: Date,
    ): Promise<boolean> =>
      take(scope, { ...hashes, owner: reservation.owner, reservedUntil: reservation.until, taskId: null }, at),

    /** Ties an owner's reservation to its task; false when the owner has lost it. */
    async redeem(scope: IdempotencyScope, owner: string, task: string): Promise<boolean> {
      const result = await db
        .updateTable('idempotency_keys')
        .set({ task_id: toUuid('task', task), owner: null, reserved_until: null })
        .where((where) => where.and({ ...isScope(scope), owner }))
        .where('task_id', 'is', null)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },

    /** Keeps the creation answer for replays. */
    async storeResponse(scope: IdempotencyScope, answer: string): Promise<void> {
      await db
        .updateTable('idempotency_keys')
        .set({ answer })
        .where((where) => where.and(isScope(scope)))
        .execute();
    },

    /** Gives a reservation up, so that the next request need not wait until it lapses. */
    async release(scope: IdempotencyScope, owner: string): Promise<void> {
      await db
        .deleteFrom('idempotency_keys')
        .where((where) => where.and({ ...isScope(scope), owner }))
        .where('task_id', 'is', null)
        .execute();
    },

    /** Forgets what was answered when a task was created: it holds the prompt. */
    async eraseResponse(task: string): Promise<void> {
      await db
        .updateTable('idempotency_keys')
        .set({ answer: null })
        .where('task_id', '=', toUuid('task', task))
        .where('answer', 'is not', null)
        .execute();
    },

    /** Deletes at most so many keys that were first used before a moment; answers how many. */
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
  if (row.task_id !== null) return { ...hashes, state: 'created', taskId: taskId(row.task_id), answer: row.answer };
  return { ...hashes, state: 'reserved' };
}
