import { type SoakSample, sampledRoles } from './soak-sample.ts';

/** A figure over the run that has to stay flat. */
interface SoakSeries {
  name: string;
  values: number[];
  /** How much it may grow over the second half of the run: a share of its mean, or this much if that is more. */
  allowedShare: number;
  allowedGrowth: number;
}

/** What the run was asked to do and what it did. */
export interface SoakRun {
  samples: readonly SoakSample[];
  sent: number;
  missed: number;
  completed: number;
  errors: readonly string[];
}

export interface JudgedSeries {
  name: string;
  /** The mean of the second half. */
  mean: number;
  /** What a line through the second half grows by. */
  growth: number;
  allowed: number;
}

/** 2 min: programs load code and fill caches for that long, so a shorter run shows no trend. */
const shortestJudgedSeconds = 120;

/** 5 min at a sample every 15 s: longer than the time between two full collections at half of the machine's load. */
const floorSamples = 20;

/** A run that leaves out more tasks than this is not one at half of the machine's load. */
const mostMissedShare = 0.2;

/** Returns every figure that has to stay flat, sample by sample. */
function seriesOf(samples: readonly SoakSample[]): SoakSeries[] {
  const series = (
    name: string,
    read: (sample: SoakSample) => number,
    [allowedShare, allowedGrowth]: [number, number],
  ): SoakSeries => ({ name, values: samples.map(read), allowedShare, allowedGrowth });
  return [
    // 10 MB: the collector of Node leaves that much more or less behind from one time to the next.
    ...sampledRoles.map((role) => {
      const memory = series(`${role}: MB`, ({ megabytes }) => megabytes[role], [0.05, 10]);
      return { ...memory, values: floorsOf(memory.values) };
    }),
    // 5: pools open and close connections with the load of the moment.
    ...sampledRoles.map((role) => series(`${role}: descriptors`, ({ descriptors }) => descriptors[role], [0.05, 5])),
    series('connections', ({ connections }) => connections, [0.05, 5]),
    // 1 MB: autovacuum comes once per minute, and a table that is full of dead rows until then grows by some pages.
    series('transient tables: MB', ({ transientMegabytes }) => transientMegabytes, [0.1, 1]),
    series('kB per task', ({ kilobytesPerTask }) => kilobytesPerTask, [0.1, 1]),
    series('dead rows: share', ({ deadShare }) => deadShare, [0.1, 0.05]),
  ];
}

/** The least of each sample and the 19 before it: memory doubles between full collections; a leak stays after one. */
function floorsOf(values: readonly number[]): number[] {
  return values.map((_value, index) => Math.min(...values.slice(Math.max(0, index - floorSamples + 1), index + 1)));
}

/** Returns how each figure has grown in the second half of the run. */
export function judgeSeries(samples: readonly SoakSample[]): JudgedSeries[] {
  const from = Math.floor(samples.length / 2);
  const seconds = samples.slice(from).map((sample) => sample.seconds);
  const span = (seconds.at(-1) ?? 0) - (seconds[0] ?? 0);
  return seriesOf(samples).map(({ name, values, allowedShare, allowedGrowth }) => {
    const half = values.slice(from);
    const mean = meanOf(half);
    return {
      name,
      mean,
      growth: slopeOf(seconds, half) * span,
      allowed: Math.max(allowedGrowth, allowedShare * mean),
    };
  });
}

/** Returns a sentence for each figure that was not flat, and for each sign that the load was not what it should be. */
export function objectionsTo({ samples, sent, missed, completed, errors }: SoakRun): string[] {
  const objections: string[] = [];
  const [first] = errors;
  if (first !== undefined) objections.push(`${errors.length} tasks went wrong, the first one with: ${first}`);
  if (completed < sent) objections.push(`only ${completed} of ${sent} tasks were completed`);
  if (completed === 0 || samples.length < 4) objections.push('the run was too short to say anything');
  for (const role of sampledRoles)
    if (samples.some(({ megabytes }) => megabytes[role] === 0)) objections.push(`${role} was not running all the time`);
  if ((samples.at(-1)?.seconds ?? 0) < shortestJudgedSeconds)
    return [...objections, `a run shorter than ${shortestJudgedSeconds / 60} min says nothing about growth`];
  if (missed > mostMissedShare * (sent + missed))
    objections.push(`the machine was too slow to send ${missed} of ${sent + missed} tasks`);
  // Before that, the least of five minutes is that of the start, which hides a leak.
  const canJudgeMemory = samples.length >= 2 * floorSamples;
  for (const { name, growth, allowed, mean } of judgeSeries(samples))
    if (growth > allowed && (canJudgeMemory || !sampledRoles.some((role) => name === `${role}: MB`)))
      objections.push(
        `${name} grew by ${growth.toPrecision(3)} from a mean of ${mean.toPrecision(3)} in the second half; ` +
          `${allowed.toPrecision(3)} is allowed`,
      );
  return objections;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / Math.max(1, values.length);
}

/** Returns the slope of the line with the least squares. */
function slopeOf(xs: readonly number[], ys: readonly number[]): number {
  const meanX = meanOf(xs);
  const meanY = meanOf(ys);
  const covariance = xs.reduce((total, x, index) => total + (x - meanX) * ((ys[index] ?? 0) - meanY), 0);
  const variance = xs.reduce((total, x) => total + (x - meanX) ** 2, 0);
  return variance === 0 ? 0 : covariance / variance;
}
