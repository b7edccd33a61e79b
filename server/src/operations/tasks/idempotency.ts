import type { Database, Tables } from '../../db/database.ts';
import type { IdempotencyRecord, IdempotencyScope, RequestHashes } from '../../db/tasks/idempotency-key-table.ts';
import type { Clock } from '../../domain/clock.ts';
import { random } from '../../domain/random.ts';
import { AppError } from '../../errors.ts';

/** A request with an Idempotency-Key, so that repeating it creates no second task. */
export interface IdempotentRequest {
  scope: IdempotencyScope;
  /** Hashes of the request; a different request with the same key is an error of the caller. */
  hashes: RequestHashes;
  /** Set if the image is an uploaded file: the same bytes under another id are the same image. */
  fileId: string | null;
}

/** A request that holds its key, or will take it in the accept transaction. */
export interface HeldKey extends IdempotentRequest {
  /** The owner of the reservation; null if the accept transaction itself takes the key. */
  owner: string | null;
}

/** The task that an earlier request with the same key created. */
export interface Replay {
  taskId: string;
  response: string;
}

/** Longer than an image may take to be fetched, checked and stored. */
const reservationMilliseconds = 60_000;
const inProgressRetrySeconds = 1;

interface Dependencies {
  db: Pick<Database, 'idempotencyKeys' | 'files' | 'tasks'>;
  clock: Clock;
}

/** Returns the task of an earlier request with this key; null if there was none. */
export async function findReplay(dependencies: Dependencies, request: IdempotentRequest): Promise<Replay | null> {
  const { db, clock } = dependencies;
  const record = await db.idempotencyKeys.find(request.scope, clock.now());
  if (!record) return null;
  if (!(await isSameRequest(dependencies, record, request)))
    throw new AppError('idempotency_key_reused', { param: 'Idempotency-Key' });
  if (record.state === 'reserved') throw inProgress();
  if (record.response === null) throw new AppError('task_deleted');
  return { taskId: record.taskId, response: record.response };
}

/** The task of the request that took the key first. If it has released the key since, the caller's next try gets it. */
export async function replayOfTaken(dependencies: Dependencies, request: IdempotentRequest): Promise<Replay> {
  const replay = await findReplay(dependencies, request);
  if (!replay) throw inProgress();
  return replay;
}

async function isSameRequest(
  { db, clock }: Dependencies,
  record: IdempotencyRecord,
  { scope, hashes, fileId }: IdempotentRequest,
): Promise<boolean> {
  if (!record.requestSha256.equals(hashes.requestSha256)) return false;
  if (Buffer.compare(record.imageSha256 ?? Buffer.of(), hashes.imageSha256 ?? Buffer.of()) === 0) return true;
  if (fileId === null) return false;
  // The first request's image is unknown before its task exists and after its deletion; findReplay throws for both.
  if (record.state === 'reserved' || record.response === null) return true;
  const file = await db.files.find(scope, fileId, clock.now());
  return file !== null && file.sha256 === (await db.tasks.find(record.taskId))?.image?.sha256;
}

/**
 * Holds the key while `work` does what cannot be part of a transaction. If `work` throws, the key is released; if the
 * process dies, the key is free once the reservation has lapsed. Returns null if the key is taken.
 */
export async function withReservation<T>(
  { db, clock }: Dependencies,
  request: IdempotentRequest,
  work: (key: HeldKey) => Promise<T>,
): Promise<T | null> {
  const owner = random.uuid();
  const now = clock.now();
  const until = new Date(now.getTime() + reservationMilliseconds);
  const isOurs = await db.idempotencyKeys.reserve(request.scope, request.hashes, { owner, until }, now);
  if (!isOurs) return null;
  try {
    return await work({ ...request, owner });
  } catch (error) {
    // What is not released lapses. If the transaction did commit, the key has a task by now and is left alone.
    await db.idempotencyKeys.release(request.scope, owner).catch(() => undefined);
    throw error;
  }
}

/** Thrown inside the accept transaction to roll it back: another request under the same key was faster. */
export class KeyTaken extends Error {
  override name = 'KeyTaken';
}

/** Takes the key as the first step of the accept transaction: from its commit on, the key belongs to this task. */
export async function takeKey(tables: Tables, key: HeldKey, created: Replay, at: Date): Promise<void> {
  if (key.owner === null) {
    if (!(await tables.idempotencyKeys.claim(key.scope, key.hashes, created, at))) throw new KeyTaken();
  } else if (!(await tables.idempotencyKeys.redeem(key.scope, key.owner, created))) {
    throw inProgress();
  }
}

function inProgress(): AppError {
  return new AppError('idempotency_in_progress', {
    param: 'Idempotency-Key',
    retryAfterSeconds: inProgressRetrySeconds,
    message: `A request with this Idempotency-Key is still in progress. Send the same request again in ${inProgressRetrySeconds} s.`,
  });
}
