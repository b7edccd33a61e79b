import type { Database } from '../../db/database.ts';
import type { UsageBucket } from '../../db/records/usage-aggregates.ts';
import type { UsageGroup, UsageSum } from '../../db/records/usage-sum-table.ts';
import type { Clock } from '../../domain/clock.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { AppError } from '../../errors.ts';
import { longestLifeSeconds } from './longest-life.ts';

export interface UsageRequest {
  bucket: UsageBucket;
  groupBy: UsageGroup | null;
  /** Null means the default range before `end`: 30 days, or 48 h for hourly buckets. */
  start: Date | null;
  /** Null means now. */
  end: Date | null;
}

/** The whole buckets from `start` to `end`, with the sums of those in which a task ended. */
export interface Usage {
  start: Date;
  end: Date;
  bucketSeconds: number;
  groupBy: UsageGroup | null;
  sums: UsageSum[];
}

interface Dependencies {
  db: Pick<Database, 'usageSums'>;
  clock: Clock;
  waitLimitHours: number;
}

const maximumBuckets = 400;
const maximumSums = 10_000;
const hourSeconds = 60 * 60;
const daySeconds = 24 * hourSeconds;
const bucketSeconds = { hour: hourSeconds, day: daySeconds } as const satisfies Record<UsageBucket, number>;
const defaultRangeSeconds = { hour: 48 * hourSeconds, day: 30 * daySeconds } as const satisfies Record<
  UsageBucket,
  number
>;

/** Returns what the caller's project used in this mode, by the time at which its tasks ended. */
export async function readUsage(
  { db, clock, waitLimitHours }: Dependencies,
  { projectId, livemode }: ProjectMode,
  request: UsageRequest,
): Promise<Usage> {
  const { bucket, groupBy } = request;
  const range = wholeBuckets(request, clock.now());
  const sums = await db.usageSums.read({
    projectId,
    livemode,
    bucket,
    groupBy,
    ...range,
    longestLifeSeconds: longestLifeSeconds(waitLimitHours),
    limit: maximumSums + 1,
  });
  if (sums.length > maximumSums)
    throw refuse('group_by', `group_by gives more than ${maximumSums} results; request a shorter range`);
  return { ...range, bucketSeconds: bucketSeconds[bucket], groupBy, sums };
}

function wholeBuckets({ bucket, start, end }: UsageRequest, now: Date): { start: Date; end: Date } {
  const seconds = bucketSeconds[bucket];
  const last = end ?? now;
  const first = start ?? new Date(Math.max(0, last.getTime() - defaultRangeSeconds[bucket] * 1000));
  if (first >= last) throw refuse('start', 'start must be before end');
  const from = Math.floor(first.getTime() / 1000 / seconds);
  const to = Math.ceil(last.getTime() / 1000 / seconds);
  if (to - from > maximumBuckets) {
    const advice = bucket === 'hour' ? 'request bucket=day or a shorter range' : 'request a shorter range';
    throw refuse('start', `start is ${to - from} ${bucket}s before end, and the limit is ${maximumBuckets}: ${advice}`);
  }
  return { start: new Date(from * seconds * 1000), end: new Date(to * seconds * 1000) };
}

function refuse(param: string, message: string): AppError {
  return new AppError('invalid_parameter', { param, message, details: [{ param, code: 'not_allowed', message }] });
}
