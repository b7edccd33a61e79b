import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from '../connection/schema.ts';
import { busyDayTasks, dayMilliseconds, endedWithin, type UsageBucket, usageAggregates } from './usage-aggregates.ts';

/** Computes the rows of `usage_sums`. Each function needs a transaction; `for update` lets one run at a time. */
export function usageRollUpTable(db: Kysely<Schema>) {
  return {
    /** Sums the next day that ended an hour ago, when its last rows are committed or noted as late. False if none. */
    async sumNext(longestLifeSeconds: number): Promise<boolean> {
      const result = await sql<{ day: Date; is_due: boolean }>`
        select until as day, until + interval '25 hours' <= now() as is_due from usage_summed for update`.execute(db);
      const [next] = result.rows;
      if (!next?.is_due) return false;
      await sumDay(db, next.day, sql`true`, longestLifeSeconds);
      await sql`update usage_summed set until = ${endOf(next.day)}`.execute(db);
      return true;
    },

    /** Computes the sums again of one day of a project in which late rows came in. Returns false if there were none. */
    async sumLate(longestLifeSeconds: number): Promise<boolean> {
      const summed = await sql<{ until: Date }>`select until from usage_summed for update`.execute(db);
      // The rows that are deleted here are committed, so the statements below see what they stand for.
      const result = await sql<{ project_id: string; livemode: boolean; day: Date }>`
        with chosen as (
          select project_id, livemode, date_trunc('day', completed_at, 'UTC') as day from late_usage limit 1
        ), deleted as (
          delete from late_usage using chosen
          where late_usage.project_id = chosen.project_id and late_usage.livemode = chosen.livemode
            and date_trunc('day', completed_at, 'UTC') = day
        )
        select * from chosen`.execute(db);
      const [late] = result.rows;
      if (!late) return false;
      const isSummed = summed.rows.some(({ until }) => late.day < until);
      if (!isSummed) return true;
      const owner = sql<boolean>`project_id = ${late.project_id} and livemode = ${late.livemode}`;
      await sql`
        delete from usage_sums where ${owner} and start >= ${late.day} and start < ${endOf(late.day)}`.execute(db);
      await sumDay(db, late.day, owner, longestLifeSeconds);
      return true;
    },
  };
}

/** Computes the sums of a day for the projects that meet the condition, and those of its hours for busy projects. */
async function sumDay(
  db: Kysely<Schema>,
  day: Date,
  owner: RawBuilder<boolean>,
  longestLifeSeconds: number,
): Promise<void> {
  const rows = sql<boolean>`${owner} and ${endedWithin(day, endOf(day), longestLifeSeconds)}`;
  await insertSums(db, 'day', rows);
  const isBusy = sql<boolean>`(project_id, livemode) in (
    select project_id, livemode from usage_sums
    where ${owner} and bucket = 'day' and group_by = 'none' and start = ${day} and tasks >= ${busyDayTasks})`;
  await insertSums(db, 'hour', sql`${rows} and ${isBusy}`);
}

/** Computes the sums of each kind of group over the rows of `usage` that meet the condition. */
async function insertSums(db: Kysely<Schema>, bucket: UsageBucket, condition: RawBuilder<boolean>): Promise<void> {
  const start = sql`date_trunc(${sql.lit(bucket)}, completed_at, 'UTC')`;
  await sql`
    insert into usage_sums
    select project_id, livemode, ${bucket}::text,
      case grouping(model, key_id, code) when 3 then 'model' when 5 then 'key' when 6 then 'code' else 'none' end,
      ${start}, coalesce(model, key_id::text, code, ''), ${usageAggregates}
    from usage where ${condition}
    group by project_id, livemode, ${start}, grouping sets ((), (model), (key_id), (code))`.execute(db);
}

function endOf(day: Date): Date {
  return new Date(day.getTime() + dayMilliseconds);
}
