import type { Percentiles, UsageSum } from '../../db/records/usage-sum-table.ts';
import { unixSeconds } from '../../http/unix-seconds.ts';
import type { Usage } from '../../operations/projects/read-usage.ts';
import type { PublicUsage, PublicUsageBucket } from '../schemas/usage-schema.ts';

type Result = PublicUsageBucket['results'][number];

/** Returns every bucket of the range, so that a chart needs no arithmetic. Without groups, each has one result. */
export function presentUsage({ start, end, bucketSeconds, groupBy, sums }: Usage): PublicUsage {
  const byStart = Map.groupBy(sums, (sum) => unixSeconds(sum.start));
  const data: PublicUsageBucket[] = [];
  for (let at = unixSeconds(start); at < unixSeconds(end); at += bucketSeconds) {
    const results = (byStart.get(at) ?? []).map((sum) => presentSum(sum, groupBy));
    const isEmpty = results.length === 0 && groupBy === null;
    data.push({
      object: 'usage.bucket',
      start: at,
      end: at + bucketSeconds,
      results: isEmpty ? [emptyResult] : results,
    });
  }
  return { object: 'list', data, first_id: null, last_id: null, has_more: false };
}

const emptyResult: Result = {
  model: null,
  key_id: null,
  code: null,
  tasks: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  video_seconds: 0,
  engine_seconds: 0,
  billable_video_seconds: 0,
  waiting_seconds: null,
  rendering_seconds: null,
};

function presentSum(sum: UsageSum, groupBy: Usage['groupBy']): Result {
  return {
    model: groupBy === 'model' ? sum.group : null,
    key_id: groupBy === 'key' ? sum.group : null,
    code: groupBy === 'code' ? sum.group : null,
    tasks: sum.tasks,
    completed: sum.completed,
    failed: sum.failed,
    cancelled: sum.cancelled,
    video_seconds: sum.videoSeconds,
    engine_seconds: toMillisecond(sum.engineSeconds),
    billable_video_seconds: sum.billableVideoSeconds,
    waiting_seconds: presentPercentiles(sum.waitingSeconds),
    rendering_seconds: presentPercentiles(sum.renderingSeconds),
  };
}

function presentPercentiles(found: Percentiles | null): Percentiles | null {
  return found && { p50: toMillisecond(found.p50), p90: toMillisecond(found.p90), p99: toMillisecond(found.p99) };
}

/** Rounds seconds to the millisecond. */
function toMillisecond(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
