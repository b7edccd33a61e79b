import { type Kysely, sql } from 'kysely';
import { toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';

/** The last report on an attempt's job from an engine that sends callbacks. */
export interface EngineReport {
  status: 'running' | 'succeeded' | 'failed' | 'cancelled';
  progress: number | null;
  code: string | null;
  reason: string | null;
}

export function engineReportTable(db: Kysely<Schema>) {
  return {
    /** Stores a report. The first report of an end is final, and progress never falls. */
    async write(id: string, attempt: number, report: EngineReport, at: Date): Promise<void> {
      await db
        .insertInto('engine_reports')
        .values({ task_id: toUuid('task', id), attempt, ...report, updated_at: at })
        .onConflict((conflict) =>
          conflict
            .columns(['task_id', 'attempt'])
            .doUpdateSet({
              status: sql`excluded.status`,
              progress: sql`greatest(engine_reports.progress, excluded.progress)`, // ignores null
              code: sql`excluded.code`,
              reason: sql`excluded.reason`,
              updated_at: sql`excluded.updated_at`,
            })
            .where('engine_reports.status', '=', 'running'),
        )
        .execute();
    },

    /** Returns the report and when it was received. */
    async find(id: string, attempt: number): Promise<(EngineReport & { heardAt: Date }) | null> {
      const row = await db
        .selectFrom('engine_reports')
        .select(['status', 'progress', 'code', 'reason', 'updated_at as heardAt'])
        .where('task_id', '=', toUuid('task', id))
        .where('attempt', '=', attempt)
        .executeTakeFirst();
      return row ?? null;
    },

    /** Takes a lock until the transaction ends, so that only one process ends this job. Returns false if taken. */
    async lock(id: string, attempt: number): Promise<boolean> {
      const name = `kinora:engine-report:${id}:${attempt}`;
      const { rows } = await sql<{ taken: boolean }>`
        select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as taken`.execute(db);
      return rows[0]?.taken ?? false;
    },

    async forget(id: string, attempt: number): Promise<void> {
      await db
        .deleteFrom('engine_reports')
        .where('task_id', '=', toUuid('task', id))
        .where('attempt', '=', attempt)
        .execute();
    },

    async deleteOlderThan(moment: Date, limit: number): Promise<number> {
      const result = await sql`
        delete from engine_reports where ctid = any(array(
          select ctid from engine_reports where updated_at < ${moment} limit ${limit} for update skip locked))`.execute(
        db,
      );
      return Number(result.numAffectedRows ?? 0n);
    },
  };
}
