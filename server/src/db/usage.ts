import { type Kysely, sql } from 'kysely';
import { lowestUuidAt } from '../domain/id.ts';
import { isBillable, type Task } from '../domain/task.ts';
import { keyId, toUuid } from './ids.ts';
import type { Schema } from './schema.ts';

export type UsageBucket = 'hour' | 'day';
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

const groupColumns = { model: sql`model`, key: sql`key_id::text`, code: sql`code` } as const;
/** 1 h: ids are made by one process and ends are recorded by another, and their clocks may differ. */
const clockDifferenceSeconds = 3600;

/** One row per ended task, without its prompt. The primary key makes a second row impossible. */
export function usageTable(db: Kysely<Schema>) {
  return {
    async add(task: Task, completedAt: Date): Promise<void> {
      await db
        .insertInto('usage')
        .values({
          task_id: toUuid('task', task.id),
          project_id: toUuid('proj', task.projectId),
          livemode: task.livemode,
          key_id: toUuid('key', task.keyId),
          model: task.model,
          status: task.status,
          code: task.status === 'failed' ? task.error.code : null,
          engine_seconds: task.engineSeconds,
          video_seconds: task.status === 'completed' ? task.durationSeconds : 0,
          billable: isBillable(task),
          waiting_seconds: secondsBetween(task.createdAt, task.startedAt ?? completedAt),
          rendering_seconds: task.startedAt && secondsBetween(task.startedAt, completedAt),
          created_at: task.createdAt,
          completed_at: completedAt,
        })
        .execute();
    },

    /**
     * Returns sums over the tasks that ended in each bucket, by group and ordered by bucket; at most `limit` of them.
     */
    async sum(query: UsageQuery): Promise<UsageSum[]> {
      const { bucket, groupBy, start, end, longestLifeSeconds, limit } = query;
      const group = groupBy === null ? sql`null::text` : groupColumns[groupBy];
      // A partition holds the tasks created on one day; only those days are read whose tasks can have ended in the
      // range.
      const lowest = lowestUuidAt(secondsAfter(start, -longestLifeSeconds - clockDifferenceSeconds));
      const beyond = lowestUuidAt(secondsAfter(end, clockDifferenceSeconds));
      const result = await sql<Row>`
        select
          date_trunc(${bucket}, completed_at, 'UTC') as start,
          ${group} as "group",
          count(*)::int as tasks,
          count(*) filter (where status = 'completed')::int as completed,
          count(*) filter (where status = 'failed')::int as failed,
          count(*) filter (where status = 'cancelled')::int as cancelled,
          sum(video_seconds)::float8 as video_seconds,
          sum(engine_seconds)::float8 as engine_seconds,
          coalesce(sum(video_seconds) filter (where billable), 0)::float8 as billable_video_seconds,
          percentile_cont(array[0.5, 0.9, 0.99]) within group (order by waiting_seconds)
            filter (where rendering_seconds is not null) as waiting,
          percentile_cont(array[0.5, 0.9, 0.99]) within group (order by rendering_seconds)
            filter (where status = 'completed' and rendering_seconds is not null) as rendering
        from usage
        where project_id = ${toUuid('proj', query.projectId)} and livemode = ${query.livemode}
          and completed_at >= ${start} and completed_at < ${end}
          and task_id >= ${lowest} and task_id < ${beyond}
        group by 1, 2
        order by 1, 2
        limit ${limit}`.execute(db);
      return result.rows.map((row) => ({
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
      }));
    },
  };
}

function toPercentiles(values: number[] | null): Percentiles | null {
  const [p50, p90, p99] = values ?? [];
  return p50 === undefined || p90 === undefined || p99 === undefined ? null : { p50, p90, p99 };
}

function secondsBetween(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / 1000;
}

function secondsAfter(moment: Date, seconds: number): Date {
  return new Date(Math.max(0, moment.getTime() + seconds * 1000));
}
