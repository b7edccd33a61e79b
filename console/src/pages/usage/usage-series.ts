import type { Usage } from '@kinora/sdk';

export type Bucket = Usage['data'][number];
export type Result = Bucket['results'][number];
export type Grouping = 'model' | 'key' | 'code';

export interface Series {
  name: string;
  values: (number | null)[];
}

export interface Totals {
  tasks: number;
  completed: number;
  failed: number;
  cancelled: number;
  video_seconds: number;
  engine_seconds: number;
  billable_video_seconds: number;
}

const zero: Totals = {
  tasks: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  video_seconds: 0,
  engine_seconds: 0,
  billable_video_seconds: 0,
};

/** Six series can be told apart; the smallest ones beyond that are summed up. */
const maximumSeries = 6;

/** Returns the id of the group that a result is of; null for tasks that did not fail, by code. */
export function groupOf(result: Result, by: Grouping): string | null {
  return by === 'model' ? result.model : by === 'key' ? result.key_id : result.code;
}

/** Returns the sums over all buckets. */
export function totalsOf(buckets: readonly Bucket[]): Totals {
  return buckets.flatMap(({ results }) => results).reduce(plus, zero);
}

/** Returns the sums over all buckets for each group, the group with most tasks first. */
export function totalsByGroup(buckets: readonly Bucket[], by: Grouping): { id: string; totals: Totals }[] {
  const sums = new Map<string, Totals>();
  for (const result of buckets.flatMap(({ results }) => results)) {
    const id = groupOf(result, by);
    if (id !== null) sums.set(id, plus(sums.get(id) ?? zero, result));
  }
  return [...sums]
    .map(([id, totals]) => ({ id, totals }))
    .toSorted((one, other) => other.totals.tasks - one.totals.tasks);
}

/** Returns a series per group, most tasks first, one for all from the seventh on: a group keeps its rank and colour. */
export function seriesByGroup(
  buckets: readonly Bucket[],
  by: Grouping,
  valueOf: (result: Result) => number,
  nameOf: (id: string) => string,
): (Series & { rank: number })[] {
  const ids = totalsByGroup(buckets, by).map(({ id }) => id);
  const shown = ids.slice(0, ids.length > maximumSeries ? maximumSeries - 1 : maximumSeries);
  const others = ids.slice(shown.length);
  const series = [...shown.map((id) => [id]), ...(others.length > 0 ? [others] : [])].map((group, rank) => ({
    name: group.length === 1 ? nameOf(group[0] ?? '') : `${group.length} others`,
    rank,
    values: buckets.map(({ results }) =>
      results
        .filter((result) => group.includes(groupOf(result, by) ?? ''))
        .reduce((sum, result) => sum + valueOf(result), 0),
    ),
  }));
  return series.filter(({ values }) => values.some((value) => value > 0));
}

/** Returns the three percentiles of a duration over time; null where no task has one. */
export function percentileSeries(buckets: readonly Bucket[], of: 'waiting_seconds' | 'rendering_seconds'): Series[] {
  return (['p50', 'p90', 'p99'] as const).map((name) => ({
    name,
    values: buckets.map(({ results: [result] }) => result?.[of]?.[name] ?? null),
  }));
}

/** Returns the share of failed tasks among those that came to an end by themselves; null if there are none. */
export function failureShare({ completed, failed }: Totals): number | null {
  return completed + failed === 0 ? null : failed / (completed + failed);
}

function plus(sum: Totals, more: Totals): Totals {
  return {
    tasks: sum.tasks + more.tasks,
    completed: sum.completed + more.completed,
    failed: sum.failed + more.failed,
    cancelled: sum.cancelled + more.cancelled,
    video_seconds: sum.video_seconds + more.video_seconds,
    engine_seconds: sum.engine_seconds + more.engine_seconds,
    billable_video_seconds: sum.billable_video_seconds + more.billable_video_seconds,
  };
}
