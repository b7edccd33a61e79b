import { highestEstimate } from '../domain/task.ts';
import type { KnownSpeeds, Speed } from '../operations/queue/known-speeds.ts';

/** Measured render times of the model at this resolution and duration; null if there are too few measurements. */
export type Measured = Pick<Speed, 'renderP50Seconds' | 'renderP90Seconds'> | null;

export interface MeasuredSpeeds {
  find(...what: Parameters<KnownSpeeds['find']>): Measured;
}

/** 10: the steps of a job take about equally long, so ten times the median is more than a slow step. */
const mediansOfSilence = 10;
/** Nine of ten jobs take less than the measured time, so three times as long is a stall even without steps. */
const measuredTimesOfSilence = 3;
/** 5: a job that still makes progress may be far slower than usual before its attempt ends. */
const measuredTimesOfAttempt = 5;
/** 2 h: Temporal gives a `generate` three hours, and an attempt must end by itself well before that. */
const longestAttemptSeconds = 7_200;
/** The newest steps are enough for a median, and a job may have thousands. */
const rememberedIntervals = 100;

/** Returns how long an attempt may last from its start. */
export function attemptSeconds(limitSeconds: number, measured: Measured): number {
  const usual = measuredTimesOfAttempt * (measured?.renderP90Seconds ?? 0);
  return Math.min(longestAttemptSeconds, Math.max(limitSeconds, usual));
}

/** Estimates the progress from the elapsed time, for an engine that reports none; null without measurements. */
export function estimateProgress(secondsSinceBegin: number, measured: Measured): number | null {
  if (!measured || measured.renderP50Seconds <= 0) return null;
  return Math.max(0, Math.min(highestEstimate, Math.floor((100 * secondsSinceBegin) / measured.renderP50Seconds)));
}

/** Jobs that fail do so early, and a first report of progress should not take long. */
const youngMilliseconds = 2_000;
/** Nobody watches a progress bar more closely. */
const slowestPollMilliseconds = 2_000;

/**
 * How long to wait before a job is polled again: 0.5 % of its age, so that its slot idles for half of that, at least
 * 15 ms to spare the engine, and at most half a second if its end can be expected. Until half of the usual time has
 * passed, and for a job of unknown length, 2 s will do.
 */
export function pollMilliseconds(age: number, measured: Measured): number {
  const usual = Math.max(15, age / 200);
  if (measured === null) return Math.min(slowestPollMilliseconds, usual);
  const untilHalf = (measured.renderP50Seconds * 1000) / 2 - age;
  if (age < youngMilliseconds || untilHalf <= 0) return Math.min(500, usual);
  return Math.max(Math.min(500, usual), Math.min(slowestPollMilliseconds, untilHalf));
}

export interface Watchdog {
  /** Records the progress at this moment; returns whether the job has stalled. Times are in milliseconds. */
  isStalled(progress: number | null, now: number): boolean;
}

/**
 * Tells a stalled job from a slow one: by the silence since its last step, else by its age against measured times.
 * Without either, only the attempt's deadline ends the job.
 */
export function createWatchdog(options: {
  /** No job counts as stalled before this time, however long its steps are. */
  floorSeconds: number;
  beganAt: number;
  measured: Measured;
}): Watchdog {
  const { beganAt, measured } = options;
  const floor = options.floorSeconds * 1000;
  const intervals: number[] = [];
  // Counted from the first poll: a worker that takes a job over has not seen its earlier steps.
  let last: { progress: number; at: number; isStep: boolean } | null = null;
  return {
    isStalled(progress, now) {
      // Decoding and writing follow the last step without a report: on a healthy ComfyUI that took minutes.
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
