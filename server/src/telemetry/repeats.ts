/** 30 s: long enough to keep an outage quiet, short enough that the log shows within a minute that it continues. */
const windowMilliseconds = 30_000;
/** 500 bounds the memory; an installation has far fewer kinds of errors at the same time. */
const maximumKeys = 500;

/** Counts lines that repeat, so that an outage leaves a few lines and not a few per second. */
export interface Repeats {
  /** Returns how many lines with this key were left out since the last one was written; null to leave out this one. */
  admit(key: string): number | null;
}

export function createRepeats(now: () => number): Repeats {
  const written = new Map<string, { at: number; leftOut: number }>();
  return {
    admit(key) {
      const last = written.get(key);
      if (last && now() - last.at < windowMilliseconds) {
        last.leftOut += 1;
        return null;
      }
      written.delete(key); // moves the key to the end: a map keeps the order of insertion
      written.set(key, { at: now(), leftOut: 0 });
      for (const oldest of written.keys()) {
        if (written.size <= maximumKeys) break;
        written.delete(oldest);
      }
      return last?.leftOut ?? 0;
    },
  };
}
