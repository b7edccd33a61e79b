import { type Kysely, sql } from 'kysely';
import type { TaskStage } from '../domain/task.ts';
import { toUuid } from './ids.ts';
import type { Schema } from './schema.ts';

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
      await db
        .insertInto('live_entries')
        .values(
          updates.map((update) => ({
            task_id: toUuid('task', update.taskId),
            attempt: update.attempt,
            stage: update.stage,
            progress: update.progress,
            progress_source: update.progressSource,
            updated_at: at,
          })),
        )
        .onConflict((conflict) =>
          conflict
            .column('task_id')
            .doUpdateSet({
              attempt: sql`excluded.attempt`,
              stage: sql`excluded.stage`,
              progress: sql`case when live_entries.attempt = excluded.attempt
              then greatest(live_entries.progress, excluded.progress) else excluded.progress end`,
              progress_source: sql`excluded.progress_source`,
              updated_at: sql`excluded.updated_at`,
            })
            // A worker that still runs an older attempt must not overwrite the current one.
            .where('live_entries.attempt', '<=', sql<number>`excluded.attempt`),
        )
        .execute();
    },

    async deleteOlderThan(moment: Date, limit: number): Promise<number> {
      const result = await sql`delete from live_entries where task_id in
        (select task_id from live_entries where updated_at < ${moment} limit ${limit})`.execute(db);
      return Number(result.numAffectedRows ?? 0n);
    },
  };
}
