import { giveBackToRate, takeFromRate } from './rate-limit.ts';

/** Far more than are in use at once. A holder that is dropped early starts over with its whole burst. */
const generationHolders = 50_000;

/** Rate limits in the memory of one process, one per holder, each stored as the moment `allowedAt`. */
export interface RateMemory {
  allowedAt(holder: string): number;
  /** Takes one request from the holder's limit. Returns null, or how long to wait if the limit is used up. */
  take(holder: string, rate: { perMinute: number; burst: number }, now: number): { waitMilliseconds: number } | null;
  /** Gives one request back. */
  giveBack(holder: string, perMinute: number): void;
}

/**
 * Bounded even if strangers choose the holders: a full newer generation replaces the older one, whose unused holders
 * are dropped. Deleting from one Map would be slow, as V8 searches the deleted entries.
 */
export function createRateMemory(): RateMemory {
  let newer = new Map<string, number>();
  let older = new Map<string, number>();
  const find = (holder: string): number | undefined => newer.get(holder) ?? older.get(holder);
  const set = (holder: string, allowedAt: number): void => {
    if (newer.size >= generationHolders && !newer.has(holder)) [newer, older] = [new Map(), newer];
    newer.set(holder, allowedAt);
  };
  return {
    allowedAt: (holder) => find(holder) ?? 0,
    take(holder, rate, now) {
      const taken = takeFromRate({ ...rate, allowedAt: find(holder) ?? 0 }, now);
      if ('waitMilliseconds' in taken) return taken;
      set(holder, taken.allowedAt);
      return null;
    },
    giveBack(holder, perMinute) {
      const allowedAt = find(holder);
      if (allowedAt !== undefined) set(holder, giveBackToRate({ perMinute, allowedAt }));
    },
  };
}
