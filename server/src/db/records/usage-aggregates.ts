import { sql } from 'kysely';
import { lowestUuidAt } from '../../domain/id.ts';

export type UsageBucket = 'hour' | 'day';

export const dayMilliseconds = 24 * 60 * 60 * 1000;
/** Hours have sums of their own on days on which the project ended this many tasks; fewer are summed in no time. */
export const busyDayTasks = 200;

/** 1 h: ids are made by one process and ends are recorded by another, and their clocks may differ. */
const clockDifferenceSeconds = 3600;

/** The columns of `usage_sums` that are computed from rows of `usage`, in their order in the table. */
export const usageAggregates = sql`
  count(*)::integer as tasks,
  count(*) filter (where status = 'completed')::integer as completed,
  count(*) filter (where status = 'failed')::integer as failed,
  count(*) filter (where status = 'cancelled')::integer as cancelled,
  sum(video_seconds)::float8 as video_seconds,
  sum(engine_seconds)::float8 as engine_seconds,
  coalesce(sum(video_seconds) filter (where billable), 0)::float8 as billable_video_seconds,
  percentile_cont(array[0.5, 0.9, 0.99]) within group (order by waiting_seconds)
    filter (where rendering_seconds is not null) as waiting,
  percentile_cont(array[0.5, 0.9, 0.99]) within group (order by rendering_seconds)
    filter (where status = 'completed' and rendering_seconds is not null) as rendering`;

/** Tasks that ended within the range; reads only the partitions of days whose tasks can have ended in it. */
export function endedWithin(start: Date, end: Date, longestLifeSeconds: number) {
  const lowest = lowestUuidAt(secondsAfter(start, -longestLifeSeconds - clockDifferenceSeconds));
  const beyond = lowestUuidAt(secondsAfter(end, clockDifferenceSeconds));
  return sql<boolean>`completed_at >= ${start} and completed_at < ${end}
    and task_id >= ${lowest} and task_id < ${beyond}`;
}

function secondsAfter(moment: Date, seconds: number): Date {
  return new Date(Math.max(0, moment.getTime() + seconds * 1000));
}
