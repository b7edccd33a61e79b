import { percentile } from '@kinora/stack/harness/percentile';
import type { ProofOutcome } from '../proof.ts';
import type { AdmittedWait, Backlog, BusyStart, Evidence, Start } from './fairness-evidence.ts';

/** The promised figures, and the least that a run must have done for them to count. */
export interface Planned {
  fewestEqualStarts: number;
  fewestWeightedStarts: number;
  fewestLightTasks: number;
  fewestCappedStarts: number;
  fewestBusyStarts: number;
  fewestPositions: number;
  leastJain: number;
  /** How far the shares of weights may be off, as a fraction. */
  weightTolerance: number;
  leastBusy: number;
  /** How far the median position may be off, as a fraction; one place is always allowed. */
  positionTolerance: number;
}

/** Judges whether the projects shared the pool fairly and kept its slots busy. */
export function judgeFairness(evidence: Evidence, planned: Planned): ProofOutcome {
  const failures: string[] = [];
  const expect = (isSo: boolean, failure: string): void => {
    if (!isSo) failures.push(failure);
  };
  const { slots, jobMilliseconds, equal, weighted, light, capped, busy, positions } = evidence;

  const equalStarts = whileAllWait(equal);
  const jain = jainIndex(countsOf(equalStarts, equal.backlogs));
  expect(
    equalStarts.length >= planned.fewestEqualStarts,
    `(a) only ${equalStarts.length} starts while all projects had waiting tasks; ${planned.fewestEqualStarts} are required`,
  );
  expect(jain >= planned.leastJain, `(a) Jain's index is ${jain.toFixed(4)}; ${planned.leastJain} is promised`);

  const weightedStarts = whileAllWait(weighted);
  const furthest = furthestShare(countsOf(weightedStarts, weighted.backlogs), weighted.backlogs);
  expect(
    weightedStarts.length >= planned.fewestWeightedStarts,
    `(b) only ${weightedStarts.length} starts while both projects had waiting tasks; ${planned.fewestWeightedStarts} are required`,
  );
  expect(
    furthest <= planned.weightTolerance,
    `(b) shares are off by ${percent(furthest)} from the weights; ${percent(planned.weightTolerance)} are allowed`,
  );

  const judgedLight = judgeLight(light, jobMilliseconds, planned);
  failures.push(...judgedLight.failures);

  const mostAtEngine = mostAtOnce(
    capped.starts.map((start) => ({ ...start, from: start.beganAt, until: start.endedAt })),
  );
  const mostRunning = mostAtOnce(capped.running);
  expect(
    capped.starts.length >= planned.fewestCappedStarts,
    `(d) only ${capped.starts.length} tasks began under the cap; ${planned.fewestCappedStarts} are required`,
  );
  expect(mostAtEngine <= capped.cap, `(d) ${mostAtEngine} jobs of a project ran at once; its cap is ${capped.cap}`);
  expect(mostRunning <= capped.cap, `(d) ${mostRunning} tasks of a project ran at once; its cap is ${capped.cap}`);
  expect(mostAtEngine >= capped.cap, `(d) the cap was never reached, so it was not tested`);

  const judgedBusy = judgeBusy(busy, slots, planned);
  failures.push(...judgedBusy.failures);

  const off = positions.map(({ position, begun }) => Math.abs(position - begun));
  const fractions = positions.map(({ position, begun }) => Math.abs(position - begun) / begun);
  // A read is good if it is off by at most one place or by the tolerated fraction; half of the reads must be good.
  const worst = percentileOf(
    off.map((error, index) => Math.min(error, (fractions[index] ?? 0) / planned.positionTolerance)),
    50,
  );
  expect(
    positions.length >= planned.fewestPositions,
    `(f) only ${positions.length} positions were read; ${planned.fewestPositions} are required`,
  );
  expect(
    worst <= 1,
    `(f) the median position is ${percentileOf(off, 50)} places or ${percent(percentileOf(fractions, 50))} off; 1 place or ${percent(planned.positionTolerance)} is promised`,
  );

  return {
    figures: {
      equalStarts: equalStarts.length,
      jain: round(jain, 4),
      weightedStarts: weightedStarts.length,
      weightedShares: countsOf(weightedStarts, weighted.backlogs).join(':'),
      weightsOffPercent: round(furthest * 100, 1),
      lightTasks: light.beside.length,
      heavyWaiting: light.heavyWaiting,
      ...judgedLight.figures,
      cappedStarts: capped.starts.length,
      mostOfACapOfTwo: mostRunning,
      ...judgedBusy.figures,
      positions: positions.length,
      positionsOffMedian: percentileOf(off, 50),
      positionsOffMedianPercent: round(percentileOf(fractions, 50) * 100, 1),
    },
    failures,
  };
}

/** (c) Judges whether light tasks wait hardly longer beside a heavy project than alone. */
export function judgeLight(light: Evidence['light'], jobMilliseconds: number, planned: Planned): ProofOutcome {
  const [alone, beside] = [percentileOf(light.alone, 99), percentileOf(light.beside, 99)];
  const allowed = 1.5 * alone + jobMilliseconds / 1000;
  const failures: string[] = [];
  if (Math.min(light.alone.length, light.beside.length) < planned.fewestLightTasks) {
    failures.push(
      `(c) only ${light.alone.length} and ${light.beside.length} light tasks began; ${planned.fewestLightTasks} are required`,
    );
  }
  if (beside > allowed) {
    failures.push(`(c) light tasks waited ${seconds(beside)} at p99; ${seconds(allowed)} are allowed`);
  }
  return {
    figures: {
      lightWaitAloneP50Seconds: round(percentileOf(light.alone, 50), 2),
      lightWaitAloneP99Seconds: round(alone, 2),
      lightWaitBesideP50Seconds: round(percentileOf(light.beside, 50), 2),
      lightWaitBesideP99Seconds: round(beside, 2),
      lightWaitAllowedSeconds: round(allowed, 2),
    },
    failures,
  };
}

/** (e) Judges whether slots are busy while an admitted task waits. */
export function judgeBusy(busy: Evidence['busy'], slots: number, planned: Planned): ProofOutcome {
  const { share, idlePerStart } = busyShare(busy.starts, busy.waits, slots);
  const failures: string[] = [];
  if (busy.starts.length < planned.fewestBusyStarts) {
    failures.push(`(e) only ${busy.starts.length} jobs ran; ${planned.fewestBusyStarts} are required`);
  }
  if (share < planned.leastBusy) {
    failures.push(
      `(e) slots were busy ${percent(share)} of the time in which an admitted task waited; ${percent(planned.leastBusy)} are promised`,
    );
  }
  return {
    figures: {
      busyPercent: round(share * 100, 2),
      idleMillisecondsPerStart: Math.round(idlePerStart),
      ...gapsOf(busy.starts),
    },
    failures,
  };
}

/**
 * Returns the starts before the first project runs out of waiting tasks, because after that it cannot get its share.
 */
function whileAllWait({ backlogs, starts }: { backlogs: readonly Backlog[]; starts: readonly Start[] }): Start[] {
  const left = new Map(backlogs.map(({ project, tasks }) => [project, tasks]));
  const ordered = starts.toSorted((one, other) => one.beganAt - other.beganAt);
  const end = ordered.findIndex(({ project }) => {
    const waiting = (left.get(project) ?? 0) - 1;
    left.set(project, waiting);
    return waiting <= 0;
  });
  return end < 0 ? ordered : ordered.slice(0, end);
}

function countsOf(starts: readonly Start[], backlogs: readonly Backlog[]): number[] {
  return backlogs.map(({ project }) => starts.filter((start) => start.project === project).length);
}

/** Returns 1 if all projects have the same count, and 1/n if one of n projects has everything. */
function jainIndex(counts: readonly number[]): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const squares = counts.reduce((sum, count) => sum + count * count, 0);
  return squares === 0 ? 0 : total ** 2 / (counts.length * squares);
}

/** Returns how far the ratio of two projects is from the ratio of their weights, at worst. */
function furthestShare(counts: readonly number[], backlogs: readonly Backlog[]): number {
  const perWeight = backlogs.map(({ weight }, index) => (counts[index] ?? 0) / weight);
  const [least, most] = [Math.min(...perWeight), Math.max(...perWeight)];
  return least === 0 ? Number.POSITIVE_INFINITY : most / least - 1;
}

/**
 * Returns the most spans of one project at the same moment. A span that ends when another begins does not overlap it.
 */
function mostAtOnce(spans: readonly (AdmittedWait & { project: string })[]): number {
  const atOnce = [...Map.groupBy(spans, ({ project }) => project).values()].map((own) =>
    Math.max(...own.map(({ from }) => own.filter((other) => other.from <= from && other.until > from).length)),
  );
  return Math.max(0, ...atOnce);
}

/** Returns the share of slot time that was busy, from the first job on, while any admitted task waited. */
function busyShare(starts: readonly Start[], waits: readonly AdmittedWait[], slots: number) {
  const first = Math.min(...starts.map(({ beganAt }) => beganAt));
  const waiting = union(waits.map(({ from, until }) => ({ from: Math.max(first, from), until })));
  const milliseconds = slots * waiting.reduce((sum, { from, until }) => sum + until - from, 0);
  const used = starts.reduce(
    (sum, { beganAt, endedAt }) =>
      sum +
      waiting.reduce(
        (own, { from, until }) => own + Math.max(0, Math.min(until, endedAt) - Math.max(from, beganAt)),
        0,
      ),
    0,
  );
  return milliseconds === 0
    ? { share: 0, idlePerStart: 0 }
    : { share: used / milliseconds, idlePerStart: (milliseconds - used) / starts.length };
}

/** Returns the median gaps between two jobs of a slot: until the end is noticed, the next task begins, its job runs. */
function gapsOf(starts: readonly BusyStart[]): Record<string, number> {
  const pairs = [...Map.groupBy(starts, ({ slot }) => slot).values()].flatMap((ofSlot) => {
    const ordered = ofSlot.toSorted((one, other) => one.beganAt - other.beganAt);
    return ordered.slice(1).map((next, index) => ({ before: ordered[index] ?? next, next }));
  });
  const median = (of: (pair: { before: BusyStart; next: BusyStart }) => number) =>
    Math.round(percentileOf(pairs.map(of), 50));
  return {
    gapSeenMilliseconds: median(({ before }) => before.freedAt - before.endedAt),
    gapNextMilliseconds: median(({ before, next }) => next.startedAt - before.freedAt),
    gapSubmittedMilliseconds: median(({ next }) => next.beganAt - next.startedAt),
  };
}

function union(spans: readonly AdmittedWait[]): AdmittedWait[] {
  const merged: AdmittedWait[] = [];
  for (const span of spans.filter(({ from, until }) => until > from).toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last && span.from <= last.until) last.until = Math.max(last.until, span.until);
    else merged.push({ ...span });
  }
  return merged;
}

/** Returns infinity if there are no values, so that a run without measurements fails. */
function percentileOf(values: readonly number[], percent: number): number {
  return percentile(values, percent, Number.POSITIVE_INFINITY);
}

function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}

const percent = (fraction: number): string => `${round(fraction * 100, 1)} %`;
const seconds = (value: number): string => `${round(value, 2)} s`;
