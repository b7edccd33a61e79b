import { type Kysely, sql } from 'kysely';
import { lowestUuidAt } from '../../domain/id.ts';
import type { TaskStage } from '../../domain/task.ts';
import { toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';

export interface LiveEntry {
  attempt: number;
  stage: TaskStage;
  progress: number;
  progressSource: 'engine' | 'estimated' | 'none';
}

export interface LiveUpdate extends LiveEntry {
  taskId: string;
}

export function liveEntryTable(db: Kysely<Schema>) {
  return {
    /** Writes many entries in one statement; within an attempt progress never falls. */
    async write(updates: readonly LiveUpdate[], at: Date): Promise<void> {
      if (updates.length === 0) return;
      const columns = [
        sql`${updates.map(({ taskId }) => toUuid('task', taskId))}::uuid[]`,
        sql`${updates.map(({ attempt }) => attempt)}::integer[]`,
        sql`${updates.map(({ stage }) => stage)}::text[]`,
        sql`${updates.map(({ progress }) => progress)}::smallint[]`,
        sql`${updates.map(({ progressSource }) => progressSource)}::text[]`,
      ];
      // Arrays, because a statement takes at most 65,535 parameters. In one order, so that two batches never deadlock.
      // A worker that still runs an older attempt must not overwrite the current one.
      await sql`
        insert into live_entries (task_id, attempt, stage, progress, progress_source, updated_at)
        select task_id, attempt, stage, progress, progress_source, ${at}::timestamptz
        from unnest(${sql.join(columns)}) as reported (task_id, attempt, stage, progress, progress_source)
        order by task_id
        on conflict (task_id) do update set
          attempt = excluded.attempt, stage = excluded.stage, progress_source = excluded.progress_source,
          updated_at = excluded.updated_at,
          progress = case when live_entries.attempt = excluded.attempt
            then greatest(live_entries.progress, excluded.progress) else excluded.progress end
        where live_entries.attempt <= excluded.attempt`.execute(db);
    },

    /**
     * Deletes the oldest entries of tasks created before a moment, at most `limit`; returns how many. The primary key
     * finds them by id: an index of updated_at would have to change with every report.
     */
    async deleteCreatedBefore(moment: Date, limit: number): Promise<number> {
      const result = await sql`
        delete from live_entries where task_id = any(array(
          select task_id from live_entries where task_id < ${lowestUuidAt(moment)}::uuid order by task_id limit ${limit}
          for update skip locked))`.execute(db);
      return Number(result.numAffectedRows ?? 0n);
    },
  };
}
