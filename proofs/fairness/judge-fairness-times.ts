import type { ProofOutcome } from '../proof.ts';
import type { AdmittedWait, BusyStart, Start, Times } from './fairness-evidence.ts';
import { percent, percentileOf, round, seconds } from './fairness-figures.ts';
import { judgePositions } from './judge-fairness.ts';
import type { Planned } from './planned.ts';

/** Judges what only a quiet machine can show: how long light tasks wait, and how busy slots are. Only the night does. */
export function judgeFairnessTimes(
  { slots, jobMilliseconds, light, busy, positions }: Times,
  planned: Planned,
): ProofOutcome {
  const ofLight = judgeLight(light, jobMilliseconds, planned);
  const ofBusy = judgeBusy(busy, slots, planned);
  const inMotion = judgePositions(positions, planned);
  return {
    figures: {
      lightTasks: light.beside.length,
      heavyWaiting: light.heavyWaiting,
      ...ofLight.figures,
      ...ofBusy.figures,
      positionsInMotionOffMedian: inMotion.figures['positionsOffMedian'] ?? '',
    },
    failures: [...ofLight.failures, ...ofBusy.failures, ...inMotion.failures],
  };
}

/** (c) Judges whether light tasks wait hardly longer beside a heavy project than alone. */
export function judgeLight(light: Times['light'], jobMilliseconds: number, planned: Planned): ProofOutcome {
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
export function judgeBusy(busy: Times['busy'], slots: number, planned: Planned): ProofOutcome {
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
