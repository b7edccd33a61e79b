const maximumRetryAfterSeconds = 24 * 60 * 60;
/** Jitter of ±10 % spreads deliveries that failed together without changing the schedule's average length. */
const jitterShare = 0.2;

interface FailedTry {
  /** Seconds between each try and the one before; the first entry is for the first try. */
  schedule: readonly number[];
  /** Tries made so far, this one included. */
  tries: number;
  /** The receiver's Retry-After; null if it sent none. */
  retryAfterSeconds: number | null;
  /** From 0 to 1. */
  random: number;
}

/** Returns how long to wait after a failed try, or null if that was the last one. */
export function nextDelaySeconds({ schedule, tries, retryAfterSeconds, random }: FailedTry): number | null {
  const planned = schedule[tries];
  if (planned === undefined) return null;
  const spread = planned * (1 + jitterShare * (random - 0.5));
  return Math.max(spread, Math.min(retryAfterSeconds ?? 0, maximumRetryAfterSeconds));
}

/** Reads a Retry-After header, in seconds or as a date; returns null for anything else. */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d{1,12}$/.test(header.trim())) return Number(header);
  // Only the date format that HTTP lets senders write; Date.parse alone accepts "0x10" and much else as a date.
  const moment = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(header.trim())
    ? Date.parse(header)
    : Number.NaN;
  return Number.isNaN(moment) ? null : Math.max(0, Math.ceil((moment - now.getTime()) / 1000));
}
