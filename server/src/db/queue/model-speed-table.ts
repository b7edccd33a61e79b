import { type Kysely, sql } from 'kysely';
import type { Resolution } from '../../domain/generation-request.ts';
import { lowestUuidAt } from '../../domain/id.ts';
import type { Schema } from '../connection/schema.ts';

/** These limits bound the cost of a measurement, however busy the installation is. */
const newestEvents = 16_000;
const newestCompleted = 4_000;
const longestLookBackMilliseconds = 24 * 60 * 60 * 1000;
/** With two samples, the slower one alone would decide the 90th percentile. */
const fewestSamples = 3;

export interface MeasuredSpeed {
  model: string;
  resolution: Resolution;
  durationSeconds: number;
  samples: number;
  renderP50Seconds: number;
  renderP90Seconds: number;
  totalP50Seconds: number;
  totalP90Seconds: number;
}

/** How long models take to render, as measured. */
export function modelSpeedTable(db: Kysely<Schema>) {
  return {
    async list(): Promise<MeasuredSpeed[]> {
      const rows = await db.selectFrom('model_speeds').selectAll().execute();
      return rows.map((row) => ({
        model: row.model,
        resolution: row.resolution,
        durationSeconds: row.duration_seconds,
        samples: row.samples,
        renderP50Seconds: row.render_p50_seconds,
        renderP90Seconds: row.render_p90_seconds,
        totalP50Seconds: row.total_p50_seconds,
        totalP90Seconds: row.total_p90_seconds,
      }));
    },

    /**
     * Measures the newest completed tasks by their last attempt, if their model's own pool rendered them: test mode has
     * the built-in engine. A combination without recent tasks keeps its last values.
     */
    async measure(models: readonly { id: string; pool: string }[], at: Date): Promise<void> {
      const earliest = lowestUuidAt(new Date(at.getTime() - longestLookBackMilliseconds));
      await sql`
        with newest as (
          select task_id, attempt from (
            select id, type, task_id, attempt from events where id >= ${earliest}::uuid order by id desc limit ${newestEvents}
          ) recent
          where type = 'video.completed' order by id desc limit ${newestCompleted}
        ), measured as (
          select tasks.model, tasks.resolution, tasks.duration_seconds,
            extract(epoch from attempts.slot_freed_at - attempts.began_at)::float8 as render_seconds,
            extract(epoch from tasks.completed_at - attempts.began_at)::float8 as total_seconds
          from newest
          join tasks on tasks.id = newest.task_id
          join attempts on attempts.task_id = newest.task_id and attempts.attempt = newest.attempt
          join unnest(${models.map(({ id }) => id)}::text[], ${models.map(({ pool }) => pool)}::text[]) as served (model, pool)
            on served.model = tasks.model and served.pool = tasks.pool
          where attempts.slot_freed_at is not null and tasks.completed_at is not null
        )
        insert into model_speeds
        select model, resolution, duration_seconds, count(*),
          percentile_cont(0.5) within group (order by render_seconds),
          percentile_cont(0.9) within group (order by render_seconds),
          percentile_cont(0.5) within group (order by total_seconds),
          percentile_cont(0.9) within group (order by total_seconds),
          ${at}::timestamptz
        from measured group by model, resolution, duration_seconds having count(*) >= ${fewestSamples}
        on conflict (model, resolution, duration_seconds) do update set
          samples = excluded.samples,
          render_p50_seconds = excluded.render_p50_seconds, render_p90_seconds = excluded.render_p90_seconds,
          total_p50_seconds = excluded.total_p50_seconds, total_p90_seconds = excluded.total_p90_seconds,
          measured_at = excluded.measured_at`.execute(db);
    },
  };
}
