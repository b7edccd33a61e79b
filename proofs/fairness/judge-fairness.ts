import type { ProofOutcome } from '../proof.ts';
import type { AdmittedWait, Backlog, Evidence, PositionSample, Start } from './fairness-evidence.ts';
import { percent, percentileOf, round } from './fairness-figures.ts';
import type { Planned } from './planned.ts';

/** Judges whether the projects shared the pool fairly, by the order and number of starts. No time counts. */
export function judgeFairness(evidence: Evidence, planned: Planned): ProofOutcome {
  const failures: string[] = [];
  const expect = (isSo: boolean, failure: string): void => {
    if (!isSo) failures.push(failure);
  };
  const { slots, equal, weighted, light, capped, filled, positions } = evidence;

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

  // When slots become free, each may take one task of the heavy project before it sees the light one, and the heavy
  // project may be the next in turn: with equal weights it gets one start of each round.
  const mostHeavy = slots + 1;
  const heavyBefore = Math.max(0, ...light.map((start) => start.heavyBefore));
  expect(
    light.length >= planned.fewestLightStarts,
    `(c) only ${light.length} light tasks began beside a heavy project; ${planned.fewestLightStarts} are required`,
  );
  expect(
    heavyBefore <= mostHeavy,
    `(c) ${heavyBefore} tasks of the heavy project began before a light one; ${mostHeavy} are allowed`,
  );
  expect(
    light.every(({ heavyLeft }) => heavyLeft > mostHeavy),
    '(c) the heavy project had too few waiting tasks, so the order was not tested',
  );

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

  const emptiest = Math.min(slots, ...filled);
  expect(filled.length > 0, '(e) only 0 times were all slots filled');
  expect(emptiest >= slots, `(e) only ${emptiest} of ${slots} slots were filled while tasks waited`);

  const judgedPositions =
    planned.fewestPositions > 0 ? judgePositions(positions, planned) : { figures: {}, failures: [] };
  failures.push(...judgedPositions.failures);
  return {
    figures: {
      equalStarts: equalStarts.length,
      jain: round(jain, 4),
      weightedStarts: weightedStarts.length,
      weightedShares: countsOf(weightedStarts, weighted.backlogs).join(':'),
      weightsOffPercent: round(furthest * 100, 1),
      lightStarts: light.length,
      heavyBeforeLight: heavyBefore,
      cappedStarts: capped.starts.length,
      mostOfACapOfTwo: mostRunning,
      timesFilled: filled.length,
      ...judgedPositions.figures,
    },
    failures,
  };
}

/** (f) Judges whether positions are the numbers of tasks that then began. */
export function judgePositions(positions: readonly PositionSample[], planned: Planned): ProofOutcome {
  const off = positions.map(({ position, begun }) => Math.abs(position - begun));
  const fractions = positions.map(({ position, begun }) => Math.abs(position - begun) / begun);
  // A read is good if it is off by at most one place or by the tolerated fraction; half of the reads must be good.
  const worst = percentileOf(
    off.map((error, index) => Math.min(error, (fractions[index] ?? 0) / planned.positionTolerance)),
    50,
  );
  const failures: string[] = [];
  if (positions.length < planned.fewestPositions)
    failures.push(`(f) only ${positions.length} positions were read; ${planned.fewestPositions} are required`);
  if (!(worst <= 1)) {
    failures.push(
      `(f) the median position is ${percentileOf(off, 50)} places or ${percent(percentileOf(fractions, 50))} off; 1 place or ${percent(planned.positionTolerance)} is promised`,
    );
  }
  return {
    figures: {
      positions: positions.length,
      positionsOffMedian: percentileOf(off, 50),
      positionsOffMedianPercent: round(percentileOf(fractions, 50) * 100, 1),
    },
    failures,
  };
}

/** Returns the starts before the first project runs out of waiting tasks and so cannot get its share any more. */
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

/** Returns the most spans of one project at the same moment. Spans that only touch do not overlap. */
function mostAtOnce(spans: readonly (AdmittedWait & { project: string })[]): number {
  const atOnce = [...Map.groupBy(spans, ({ project }) => project).values()].map((own) =>
    Math.max(...own.map(({ from }) => own.filter((other) => other.from <= from && other.until > from).length)),
  );
  return Math.max(0, ...atOnce);
}
