import { type Kysely, sql } from 'kysely';
import { type CallerLimits, type Scope, scopes } from '../../domain/caller.ts';
import { compileOnce } from '../connection/compile-once.ts';
import { keyId, projectId, toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';
import { toStorageUse } from '../tasks/stored-bytes-table.ts';
import { type ShownTaskRow, taskColumns } from '../tasks/task-row.ts';
import { liveColumns, type StoredView, toView } from '../tasks/task-view-table.ts';

/** What is needed to judge a key, the limits of its project in the key's mode, and the task that was read with it. */
export interface FoundKey {
  id: string;
  projectId: string;
  livemode: boolean;
  scopes: readonly Scope[];
  /** Its own expiry or, if that comes first, the end of the overlap with the key that replaced it. */
  expiresAt: Date | null;
  revokedAt: Date | null;
  isProjectSuspended: boolean;
  limits: CallerLimits;
  /** Null if no task was asked for, or if the key's project has no such task in its mode. */
  view: StoredView | null;
}

/** Selects keys with the limits of their projects. */
export const keyRows = (db: Kysely<Schema>) =>
  db
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .innerJoin('project_slots', (join) =>
      join
        .onRef('project_slots.project_id', '=', 'api_keys.project_id')
        .onRef('project_slots.livemode', '=', 'api_keys.livemode'),
    )
    .select([
      'api_keys.id as api_key_id',
      'api_keys.project_id as key_project_id',
      'api_keys.livemode as key_livemode',
      'api_keys.scopes',
      'api_keys.expires_at as key_expires_at',
      'api_keys.overlap_ends_at',
      'api_keys.revoked_at',
      'projects.suspended_at',
      'projects.creates_per_minute',
      'projects.reads_per_minute',
      'projects.running_limit',
      'projects.waiting_limit',
      'project_slots.running',
      'project_slots.waiting',
      'project_slots.create_allowed_at',
      'projects.storage_limit_bytes',
      'projects.files_limit',
      'project_slots.stored_bytes',
      'project_slots.uploaded_files',
    ]);

const keyAlone = compileOnce((db, { sha256 }: { sha256: Buffer }) => keyRows(db).where('sha256', '=', sha256));

/**
 * The limit changes only the plan: without it, Postgres expects a row of each partition and makes a new plan for each
 * id, which takes six times as long as the read. The kept plan locks all partitions, but shortly.
 */
export const taskRow = (db: Kysely<Schema>, task: string) =>
  db.selectFrom('tasks').select(taskColumns).where('tasks.id', '=', task).limit(sql.lit(1)).as('tasks');

/** The join itself keeps other tenants' tasks out: a task is shown only if it is of the key's project and mode. */
const keyAndTask = compileOnce((db, { sha256, task }: { sha256: Buffer; task: string }) =>
  keyRows(db)
    .where('sha256', '=', sha256)
    .leftJoin(taskRow(db, task), (join) =>
      join.onRef('tasks.project_id', '=', 'api_keys.project_id').onRef('tasks.livemode', '=', 'api_keys.livemode'),
    )
    .leftJoin('live_entries', 'live_entries.task_id', 'tasks.id')
    .select([...taskColumns, ...liveColumns]),
);

/** Returns a key by its hash. A read of a task needs both, and one statement costs half of two. */
export async function findKeyByHash(
  db: Kysely<Schema>,
  sha256: Buffer,
  taskId: string | null,
): Promise<FoundKey | null> {
  if (taskId === null) {
    const row = (await db.executeQuery(keyAlone({ sha256 }))).rows[0];
    return row ? toFoundKey(row, null) : null;
  }
  const row = (await db.executeQuery(keyAndTask({ sha256, task: toUuid('task', taskId) }))).rows[0];
  if (!row) return null;
  // A left join finds either all columns that are not null in the table, or none of them.
  return toFoundKey(row, row.id === null ? null : toView(row as typeof row & ShownTaskRow));
}

type KeyRow = NonNullable<Awaited<ReturnType<ReturnType<typeof keyRows>['executeTakeFirst']>>>;

export function toFoundKey(row: KeyRow, view: StoredView | null): FoundKey {
  return {
    id: keyId(row.api_key_id),
    projectId: projectId(row.key_project_id),
    livemode: row.key_livemode,
    scopes: scopes.filter((scope) => row.scopes.includes(scope)),
    expiresAt: earlierOf(row.key_expires_at, row.overlap_ends_at),
    revokedAt: row.revoked_at,
    isProjectSuspended: row.suspended_at !== null,
    limits: {
      createsPerMinute: row.creates_per_minute,
      createAllowedAt: toMoment(row.create_allowed_at),
      readsPerMinute: row.reads_per_minute,
      runningLimit: row.running_limit,
      running: row.running,
      waitingLimit: row.waiting_limit,
      waiting: row.waiting,
      storage: toStorageUse(row),
    },
    view,
  };
}

export function earlierOf(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** Converts a column that is `-infinity`, which pg returns as a number, until the project's first create. */
function toMoment(moment: Date | number): Date {
  return moment instanceof Date ? moment : new Date(0);
}
