import type { Speed, Speeds } from '../operations/queue/speeds.ts';

/** What was measured of the model at this resolution and duration; null where too little was. */
export type Measured = Pick<Speed, 'renderP50Seconds' | 'renderP90Seconds'> | null;

export interface MeasuredSpeeds {
  find(...what: Parameters<Speeds['find']>): Measured;
}

/** Steps of one job last about as long as each other: ten times the usual is no slow step any more. */
const mediansOfSilence = 10;
/** Nine of ten jobs take less than the measured time; without steps to see, three times of it is beyond doubt. */
const measuredTimesOfSilence = 3;
/** A job that still makes progress may be far slower than usual before it is ended. */
const measuredTimesOfAttempt = 5;
/** Temporal gives a `generate` three hours: an attempt must end itself well before. */
const longestAttemptSeconds = 7_200;
/** An estimate never says that a job is nearly done: only the engine knows. */
const highestEstimate = 95;
/** The newest steps say enough, and a job may have thousands. */
const rememberedIntervals = 100;

/** How long an attempt may last from its begin. */
export function attemptSeconds(limitSeconds: number, measured: Measured): number {
  const usual = measuredTimesOfAttempt * (measured?.renderP90Seconds ?? 0);
  return Math.min(longestAttemptSeconds, Math.max(limitSeconds, usual));
}

/** Progress by the clock, for an engine that reports none; null where nothing was measured. */
export function estimateProgress(secondsSinceBegin: number, measured: Measured): number | null {
  if (!measured || measured.renderP50Seconds <= 0) return null;
  return Math.max(0, Math.min(highestEstimate, Math.floor((100 * secondsSinceBegin) / measured.renderP50Seconds)));
}

/**
 * The time to the next look at a job: half a percent of its age, so that its slot idles for half of that on average after it
 * has ended. Within 15 ms, faster than which a busy engine need not be asked, and 500 ms, soon enough for any stream of
 * progress.
 */
export function pollMilliseconds(millisecondsSinceBegin: number): number {
  return Math.max(15, Math.min(500, millisecondsSinceBegin / 200));
}

export interface Watchdog {
  /** Notes what the engine says at this moment; true when the job has stalled. Times are in milliseconds. */
  isStalled(progress: number | null, now: number): boolean;
}

/**
 * Tells a job that has stalled from one that is slow. Where the engine reports steps, it is silence between two of them; where
 * it reports none, the job's age against what was measured. Without either only the attempt's deadline ends it.
 */
export function createWatchdog(options: {
  /** Nothing counts as a stall before that, whatever the steps are. */
  floorSeconds: number;
  beganAt: number;
  measured: Measured;
}): Watchdog {
  const { beganAt, measured } = options;
  const floor = options.floorSeconds * 1000;
  const intervals: number[] = [];
  // Counted from the first look: whoever takes a job over knows nothing of its steps before.
  let last: { progress: number; at: number; isStep: boolean } | null = null;
  return {
    isStalled(progress, now) {
      // After the last step come decoding and writing, in silence: minutes of it were seen on a healthy ComfyUI.
      if (progress === null || progress >= 100) {
        last = null;
        return (
          measured !== null &&
          now - beganAt > Math.max(floor, measuredTimesOfSilence * measured.renderP90Seconds * 1000)
        );
      }
      if (last === null || last.progress !== progress) {
        // The time before the first change is not the length of a step.
        if (last?.isStep) intervals.push(now - last.at);
        if (intervals.length > rememberedIntervals) intervals.shift();
        last = { progress, at: now, isStep: last !== null };
      }
      return now - last.at > Math.max(floor, mediansOfSilence * medianOf(intervals));
    },
  };
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
