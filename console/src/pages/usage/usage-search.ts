const usageRanges = ['24h', '7d', '30d', '90d', 'custom'] as const;
export type UsageRange = (typeof usageRanges)[number];

export interface UsageSearch {
  range?: UsageRange;
  /** The first and the last day of a custom range, such as `2026-11-18`, in UTC. */
  from?: string;
  to?: string;
  bucket?: 'hour' | 'day';
  by?: 'model' | 'key';
}

/** Reads the state of the page from its address; what is malformed is left out. */
export function readUsageSearch(search: Record<string, unknown>): UsageSearch {
  const { range, from, to, bucket, by } = search;
  return {
    ...(usageRanges.includes(range as UsageRange) ? { range: range as UsageRange } : {}),
    ...(isDay(from) ? { from } : {}),
    ...(isDay(to) ? { to } : {}),
    ...(bucket === 'hour' || bucket === 'day' ? { bucket } : {}),
    ...(by === 'model' || by === 'key' ? { by } : {}),
  };
}

function isDay(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value));
}
