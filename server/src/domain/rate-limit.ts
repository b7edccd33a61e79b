/** How many creates may come at once before the rate per minute decides. */
export const createBurst = 10;

/** How much of a limit is left. */
export interface QuotaState {
  perMinute: number;
  /** How many may come at once after a pause. */
  burst: number;
  /** How many may come now. */
  remaining: number;
  /** When the whole burst is there again, if nothing comes meanwhile. */
  resetSeconds: number;
}

/**
 * Where a limit stands that is kept as one moment (GCRA): each request moves `allowedAt` on by the time that one request is
 * worth, and it may be ahead of now by no more than the burst is worth.
 */
export function quotaState(
  { perMinute, burst, allowedAt }: { perMinute: number; burst: number; allowedAt: number },
  now: number,
): QuotaState {
  const worth = worthMilliseconds(perMinute);
  // Moments are kept in milliseconds here and in microseconds by Postgres: what is lost in between is no request.
  const aheadMilliseconds = Math.max(0, allowedAt - now - Math.min(0.5, worth / 2));
  const used = Math.ceil(aheadMilliseconds / worth);
  return {
    perMinute,
    burst,
    remaining: Math.min(burst, Math.max(0, burst - used)),
    resetSeconds: Math.ceil(aheadMilliseconds / 1000),
  };
}

/** Takes one request from a limit: the moment it is kept as from now on, or how long to wait. */
export function takeFromRate(
  { perMinute, burst, allowedAt }: { perMinute: number; burst: number; allowedAt: number },
  now: number,
): { allowedAt: number } | { waitMilliseconds: number } {
  const worth = worthMilliseconds(perMinute);
  const from = Math.max(allowedAt, now);
  const waitMilliseconds = from - now - worth * (burst - 1);
  // A sum of many fractions misses its round value by a little.
  return waitMilliseconds > 1e-6 * worth ? { waitMilliseconds } : { allowedAt: from + worth };
}

function worthMilliseconds(perMinute: number): number {
  return 60_000 / perMinute;
}
