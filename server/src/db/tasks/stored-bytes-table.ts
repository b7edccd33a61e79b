import { type Kysely, sql } from 'kysely';
import type { StorageUse } from '../../domain/caller.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { projectId, toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';

/**
 * Takes the rows of the CTE `freed` (project_id, livemode, bytes, uploads) out of their projects' counts, in one order,
 * so that batches never deadlock. No count falls below zero: a process of the previous version does not count.
 */
export const countFreed = sql`
  , sums as (select project_id, livemode, sum(bytes) as bytes, sum(uploads) as uploads from freed group by 1, 2)
  , locked as (
    select project_id, livemode, bytes, uploads from project_slots join sums using (project_id, livemode)
    order by project_id, livemode for no key update of project_slots
  )
  update project_slots set
    stored_bytes = greatest(0, stored_bytes - bytes), uploaded_files = greatest(0, uploaded_files - uploads)
  from locked where project_slots.project_id = locked.project_id and project_slots.livemode = locked.livemode`;

/** By how much the counts of a project and mode are wrong. */
export interface StorageCorrection extends ProjectMode {
  bytes: number;
  files: number;
}

interface Sum {
  project_id: string;
  livemode: boolean;
  bytes: string;
  files: string;
}

/** Tasks whose files expire within an hour: few enough to be read well within the time limit of a statement. */
const hour = sql`interval '1 hour'`;

/** What projects store, as `project_slots` counts it. */
export function storedBytesTable(db: Kysely<Schema>) {
  return {
    /** Compares counts with rows in one snapshot. Both change together, so a difference is exact and stays. */
    async miscounted(): Promise<StorageCorrection[]> {
      const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
      const sums = await snapshot.execute((transaction) => readSums(transaction));
      const corrections = new Map<string, StorageCorrection>();
      for (const { project_id, livemode, bytes, files } of sums) {
        const key = `${project_id} ${livemode}`;
        const former = corrections.get(key) ?? { projectId: projectId(project_id), livemode, bytes: 0, files: 0 };
        corrections.set(key, { ...former, bytes: former.bytes + Number(bytes), files: former.files + Number(files) });
      }
      return [...corrections.values()].filter(({ bytes, files }) => bytes !== 0 || files !== 0);
    },

    async correct({ projectId: project, livemode, bytes, files }: StorageCorrection): Promise<void> {
      await sql`update project_slots set stored_bytes = greatest(0, stored_bytes + ${bytes}::bigint),
          uploaded_files = greatest(0, uploaded_files + ${files}::integer)
        where project_id = ${toUuid('proj', project)} and livemode = ${livemode}`.execute(db);
    },
  };
}

/** Returns sums whose total per project and mode is what is stored, less what is counted. */
async function readSums(db: Kysely<Schema>): Promise<Sum[]> {
  const sums = await sql<Sum>`
    select project_id, livemode, -stored_bytes as bytes, -uploaded_files as files from project_slots
    union all
    select project_id, livemode, sum(size_bytes), count(*) from files group by 1, 2
    union all
    select tasks.project_id, tasks.livemode, sum(stored_bytes), 0 from open_tasks join tasks using (id)
    where stored_bytes > 0 group by 1, 2`.execute(db);
  const hours = await sql<{ starts_at: Date }>`
    select generate_series(date_trunc('hour', min(expires_at)), max(expires_at), ${hour}) as starts_at from tasks
    where expires_at is not null and not are_files_gone`.execute(db);
  const ended: Sum[] = [];
  for (const { starts_at } of hours.rows) {
    const { rows } = await sql<Sum>`
      select project_id, livemode, sum(stored_bytes) as bytes, 0 as files from tasks
      where expires_at >= ${starts_at} and expires_at < ${starts_at}::timestamptz + ${hour}
        and expires_at is not null and not are_files_gone and stored_bytes > 0
      group by 1, 2`.execute(db);
    ended.push(...rows);
  }
  return [...sums.rows, ...ended];
}

/** Reads what a project stores from columns of `projects` and `project_slots`. */
export function toStorageUse(row: {
  storage_limit_bytes: string;
  stored_bytes: string;
  files_limit: number;
  uploaded_files: number;
}): StorageUse {
  return {
    limitBytes: Number(row.storage_limit_bytes),
    usedBytes: Number(row.stored_bytes),
    filesLimit: row.files_limit,
    files: row.uploaded_files,
  };
}
