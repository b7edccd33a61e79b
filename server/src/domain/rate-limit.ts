/** How many creates may come at once before the rate per minute applies. */
export const createBurst = 10;

/** How much of a limit is left. */
export interface QuotaState {
  perMinute: number;
  /** How many requests may come at once after a pause. */
  burst: number;
  /** How many requests may come now. */
  remaining: number;
  /** Seconds until the whole burst is available again, if no request comes before then. */
  resetSeconds: number;
}

/**
 * Returns the state of a limit that is stored as one moment (GCRA): each request moves `allowedAt` forward by the
 * interval of one request, and `allowedAt` may be ahead of now by at most the intervals of the burst.
 */
export function quotaState(
  { perMinute, burst, allowedAt }: { perMinute: number; burst: number; allowedAt: number },
  now: number,
): QuotaState {
  const worth = worthMilliseconds(perMinute);
  // Moments have milliseconds here and microseconds in Postgres: that difference must not count as a request.
  const aheadMilliseconds = Math.max(0, allowedAt - now - Math.min(0.5, worth / 2));
  const used = Math.ceil(aheadMilliseconds / worth);
  return {
    perMinute,
    burst,
    remaining: Math.min(burst, Math.max(0, burst - used)),
    resetSeconds: Math.ceil(aheadMilliseconds / 1000),
  };
}

/** Takes one request from a limit. Returns the new `allowedAt` to store, or how long to wait. */
export function takeFromRate(
  { perMinute, burst, allowedAt }: { perMinute: number; burst: number; allowedAt: number },
  now: number,
): { allowedAt: number } | { waitMilliseconds: number } {
  const worth = worthMilliseconds(perMinute);
  const from = Math.max(allowedAt, now);
  const waitMilliseconds = from - now - worth * (burst - 1);
  // A sum of many fractions differs slightly from its exact value.
  return waitMilliseconds > 1e-6 * worth ? { waitMilliseconds } : { allowedAt: from + worth };
}

/** Returns the `allowedAt` of a limit to which one request is given back. */
export function giveBackToRate({ perMinute, allowedAt }: { perMinute: number; allowedAt: number }): number {
  return allowedAt - worthMilliseconds(perMinute);
}

function worthMilliseconds(perMinute: number): number {
  return 60_000 / perMinute;
}
