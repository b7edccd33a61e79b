import { type Kysely, sql } from 'kysely';
import { keyId, toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';
import { busyDayTasks, dayMilliseconds, endedWithin, type UsageBucket, usageAggregates } from './usage-aggregates.ts';

export type UsageGroup = 'model' | 'key' | 'code';

/** Percentiles of a duration, in seconds. */
export interface Percentiles {
  p50: number;
  p90: number;
  p99: number;
}

export interface UsageSum {
  /** The start of its bucket. */
  start: Date;
  /** The value that it is grouped by; null without grouping, and for tasks without a failure code. */
  group: string | null;
  tasks: number;
  completed: number;
  failed: number;
  cancelled: number;
  videoSeconds: number;
  engineSeconds: number;
  billableVideoSeconds: number;
  /** Percentiles over the tasks that began. */
  waitingSeconds: Percentiles | null;
  /** Percentiles over the completed tasks, from the start of the first attempt. */
  renderingSeconds: Percentiles | null;
}

interface UsageQuery {
  projectId: string;
  livemode: boolean;
  bucket: UsageBucket;
  groupBy: UsageGroup | null;
  /** Whole buckets: `start` is inclusive, `end` is exclusive. */
  start: Date;
  end: Date;
  /** The longest possible time between a task's creation and its end. */
  longestLifeSeconds: number;
  limit: number;
}

interface DateRange {
  start: Date;
  end: Date;
}

interface Row {
  start: Date;
  group: string | null;
  tasks: number;
  completed: number;
  failed: number;
  cancelled: number;
  video_seconds: number;
  engine_seconds: number;
  billable_video_seconds: number;
  waiting: number[] | null;
  rendering: number[] | null;
}

interface Summed {
  until: Date;
  /** The days whose hours have sums. */
  busy_days: number[];
}

const groupColumns = { model: sql`model`, key: sql`key_id::text`, code: sql`code` } as const;

/** Sums over the tasks that ended in each hour or day. */
export function usageSumTable(db: Kysely<Schema>) {
  return {
    /** Sums by bucket and group, at most `limit`, in order. The relay has those of ended days; others are made here. */
    async read(query: UsageQuery): Promise<UsageSum[]> {
      const { bucket, groupBy, start, end, longestLifeSeconds, limit } = query;
      const owner = sql<boolean>`project_id = ${toUuid('proj', query.projectId)} and livemode = ${query.livemode}`;
      // A moment later there may be more sums, but never fewer.
      const result = await sql<Summed>`
        select until, array(
          select extract(epoch from start)::float8 * 1000 from usage_sums
          where ${owner} and bucket = 'day' and group_by = 'none' and tasks >= ${busyDayTasks}
            and start >= date_trunc('day', ${start}::timestamptz, 'UTC') and start < ${end}
        ) as busy_days
        from usage_summed`.execute(db);
      const [summed = { until: start, busy_days: [] }] = result.rows;
      const stored = sql`
        select start, nullif("group", '') as "group", tasks, completed, failed, cancelled, video_seconds, engine_seconds,
          billable_video_seconds, waiting, rendering
        from usage_sums
        where ${owner} and bucket = ${bucket} and group_by = ${groupBy ?? 'none'}
          and start >= ${start} and start < ${end} and start < ${summed.until}`;
      const ranges = rangesWithoutSums(query, summed);
      const isWithoutSums = ranges.map((range) => sql`(${endedWithin(range.start, range.end, longestLifeSeconds)})`);
      const computed = sql`
        union all
        select date_trunc(${bucket}, completed_at, 'UTC'),
          ${groupBy === null ? sql`null::text` : groupColumns[groupBy]}, ${usageAggregates}
        from usage where ${owner} and (${sql.join(isWithoutSums, sql` or `)})
        group by 1, 2`;
      const rows = await sql<Row>`
        ${stored} ${ranges.length === 0 ? sql`` : computed} order by 1, 2 limit ${limit}`.execute(db);
      return rows.rows.map((row) => toSum(row, groupBy));
    },

    /** Deletes sums of buckets that started before a moment. Returns how many. */
    async deleteOlderThan(moment: Date, limit: number): Promise<number> {
      const result = await sql`
        delete from usage_sums where ctid = any(array(
          select ctid from usage_sums where start < ${moment} limit ${limit}))`.execute(db);
      return Number(result.numAffectedRows ?? 0n);
    },
  };
}

/** Returns the parts of a query's range that have no sums for its bucket. */
function rangesWithoutSums({ bucket, start, end }: UsageQuery, { until, busy_days }: Summed): DateRange[] {
  const ranges: DateRange[] = [];
  const isBusy = new Set(busy_days);
  for (let from = start.getTime(); from < end.getTime(); ) {
    const day = Math.floor(from / dayMilliseconds) * dayMilliseconds;
    const to = Math.min(day + dayMilliseconds, end.getTime());
    const hasSums = day < until.getTime() && (bucket === 'day' || isBusy.has(day));
    const last = ranges.at(-1);
    if (!hasSums && last?.end.getTime() === from) last.end = new Date(to);
    else if (!hasSums) ranges.push({ start: new Date(from), end: new Date(to) });
    from = to;
  }
  return ranges;
}

function toSum(row: Row, groupBy: UsageGroup | null): UsageSum {
  return {
    start: row.start,
    group: groupBy === 'key' && row.group !== null ? keyId(row.group) : row.group,
    tasks: row.tasks,
    completed: row.completed,
    failed: row.failed,
    cancelled: row.cancelled,
    videoSeconds: row.video_seconds,
    engineSeconds: row.engine_seconds,
    billableVideoSeconds: row.billable_video_seconds,
    waitingSeconds: toPercentiles(row.waiting),
    renderingSeconds: toPercentiles(row.rendering),
  };
}

function toPercentiles(values: number[] | null): Percentiles | null {
  const [p50, p90, p99] = values ?? [];
  return p50 === undefined || p90 === undefined || p99 === undefined ? null : { p50, p90, p99 };
}
