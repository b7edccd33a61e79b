import type { UsageSearch } from './usage-search.ts';

/** The time that the page shows, in whole buckets, and the time before it that it is compared with. Unix seconds. */
export interface UsagePeriod {
  start: number;
  end: number;
  /** The time before, only as far as the shown period has come, or the rest of today would count as a decline. */
  before: { start: number; end: number; bucket: 'hour' | 'day' };
  bucket: 'hour' | 'day';
  /** Whether buckets of an hour are possible: the API returns at most 400 buckets. */
  mayBeHourly: boolean;
  /** The length of the period in words, such as `7 days`. */
  length: string;
}

const hour = 3_600;
const day = 24 * hour;
const maximumBuckets = 400;
const days = { '24h': 1, '7d': 7, '30d': 30, '90d': 90 } as const;

/** Returns the period that the address of the page names. Without one: the last seven days. */
export function periodOf(search: UsageSearch, nowSeconds: number): UsagePeriod {
  const range = search.range ?? '7d';
  if (range === '24h') {
    const end = Math.ceil(nowSeconds / hour) * hour;
    return {
      start: end - day,
      end,
      before: { start: end - 2 * day, end: end - day, bucket: 'hour' },
      bucket: 'hour',
      mayBeHourly: true,
      length: '24 hours',
    };
  }
  const { start, end } = range === 'custom' ? customDays(search, nowSeconds) : lastDays(days[range], nowSeconds);
  const count = (end - start) / day;
  const mayBeHourly = (end - start) / hour <= maximumBuckets;
  return {
    start,
    end,
    before: {
      start: start - (end - start),
      end: Math.min(start, Math.ceil((nowSeconds - (end - start)) / hour) * hour),
      bucket: mayBeHourly ? 'hour' : 'day',
    },
    bucket: search.bucket === 'hour' && mayBeHourly ? 'hour' : 'day',
    mayBeHourly,
    length: count === 1 ? 'day' : `${count} days`,
  };
}

/** Returns the custom range of the address with what is missing or impossible filled in. */
export function customDays({ from, to }: UsageSearch, nowSeconds: number): { start: number; end: number } {
  const today = Math.floor(nowSeconds / day) * day;
  const last = Math.min(today, to ? Date.parse(to) / 1000 : today);
  const first = Math.min(last, from ? Date.parse(from) / 1000 : last - 6 * day);
  return { start: Math.max(first, last - (maximumBuckets - 1) * day), end: last + day };
}

function lastDays(count: number, nowSeconds: number): { start: number; end: number } {
  const end = (Math.floor(nowSeconds / day) + 1) * day;
  return { start: end - count * day, end };
}

/** Returns a day as date fields write it. */
export function dayText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}
