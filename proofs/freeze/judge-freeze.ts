import type { ProofOutcome } from '../proof.ts';
import {
  type Check,
  type Fault,
  type FreezeEvidence,
  type Holder,
  type Target,
  type TaskEvidence,
  targets,
} from './freeze-evidence.ts';

/** How long after a fault a task, a round of the reconciler and the begin of quick reads may take. */
export const limitSeconds = 30;

/** How long after a worker falls silent others may follow its jobs, while nothing else is silent. */
const takeoverSeconds = 18;

/** The least that a run must have done for its result to count. */
export interface Planned {
  tasks: number;
  freezesOf: Record<Target, number>;
  longFreezesOf: Record<Target, number>;
  longSeconds: number;
  vanishes: number;
}

/** One of two copies can be silent, and the other one must take over meanwhile. */
const haveASecondCopy: readonly Target[] = ['worker', 'relay', 'api'];

export function judgeFreeze(evidence: FreezeEvidence, planned: Planned): ProofOutcome {
  const { faults, checks, tasks, attempts, submits } = evidence;
  const isLong = ({ kind, from, until }: Fault): boolean =>
    kind === 'freeze' && until - from >= planned.longSeconds * 1000;
  const failures = [
    ...tasks.flatMap(wrongEnd),
    ...evidence.strangers.map((taskId) => `${taskId} has a row, but no client got its id`),
    ...videosOfOthers(evidence),
    ...repeatedSubmits(evidence),
    ...deletedObjects(evidence),
    ...wereChecked('after', faults, (fault) => checks.find(({ at }) => at >= fault.until)),
    // While one of two copies is silent, everything must be in order as well.
    ...wereChecked(
      'during',
      faults.filter((fault) => haveASecondCopy.includes(fault.target) && isLong(fault)),
      ({ from, until }) => checks.find(({ at }) => at > from && at < until),
    ),
    ...faults
      .filter((fault) => fault.kind === 'vanish' || (fault.target === 'worker' && isLong(fault)))
      .flatMap((fault) => wasTakenOver(fault, evidence)),
    ...enoughWasDone(evidence, planned, isLong),
  ];
  const takeovers = faults.flatMap((fault) => secondsUntilTakeover(fault, evidence)).toSorted((one, two) => one - two);
  const slow = takeovers.filter((seconds) => seconds > takeoverSeconds);
  if (slow.length > 0) failures.push(`takeovers took ${slow.join(', ')} s; ${takeoverSeconds} are promised`);
  const lost = attempts.filter(({ outcome }) => !['completed', 'cancelled', 'refused'].includes(outcome ?? ''));
  return {
    figures: {
      tasks: tasks.length,
      completed: tasks.filter(({ status }) => status === 'completed').length,
      cancelled: tasks.filter(({ status }) => status === 'cancelled').length,
      freezesOf: targets.map((target) => `${target} ${freezesOf(faults, target).length}`).join(', '),
      unknownCancels: tasks.filter(({ cancel }) => cancel === 'unknown').length,
      vanished: faults.filter(({ kind }) => kind === 'vanish').length,
      takeovers: evidence.holders.filter(({ isTakeover }) => isTakeover).length,
      takeoverSecondsMedian: takeovers[Math.floor(takeovers.length / 2)] ?? 'none',
      takeoverSecondsMost: takeovers.at(-1) ?? 'none',
      attempts: attempts.length,
      submits: submits.length,
      repeatedRenders: lost.length,
      repeatedBecause: [...new Set(lost.map(({ outcome }) => outcome))].join(', ') || 'none',
      checks: checks.length,
      probeSecondsMost: most(checks.flatMap(({ probeSeconds }) => Object.values(probeSeconds))),
      readSecondsMost: most(checks.map(({ readSeconds }) => readSeconds)),
      roundSecondsMost: most(checks.map(({ roundSeconds }) => roundSeconds)),
    },
    failures,
  };
}

const rightEnds: Record<TaskEvidence['cancel'], string[]> = {
  none: ['completed'],
  confirmed: ['cancelled'],
  unknown: ['completed', 'cancelled'],
};

function wrongEnd({ taskId, cancel, status, code }: TaskEvidence): string[] {
  if (status === null) return [`${taskId} was accepted and is lost`];
  const wanted = rightEnds[cancel];
  if (wanted.includes(status)) return [];
  return [`${taskId} ended as ${[status, code].filter(Boolean).join(' ')}, but should be ${wanted.join(' or ')}`];
}

/** The engine draws the same picture the same way, so one picture has one hash, and no two pictures share one. */
function videosOfOthers({ tasks }: FreezeEvidence): string[] {
  const videos = tasks.filter(({ sha256 }) => sha256 !== null);
  const ofPicture = [...Map.groupBy(videos, ({ picture }) => picture)];
  const ofHash = [...Map.groupBy(videos, ({ sha256 }) => sha256)];
  return [
    ...ofPicture.flatMap(([picture, same]) => {
      const hashes = [...Map.groupBy(same, ({ sha256 }) => sha256)].toSorted(([, a], [, b]) => b.length - a.length);
      return hashes
        .slice(1)
        .flatMap(([, odd]) => odd.map(({ taskId }) => `${taskId} has a video other than ${picture}`));
    }),
    ...ofHash.flatMap(([, same]) => {
      const pictures = new Set(same.map(({ picture }) => picture));
      return pictures.size === 1 ? [] : [`${same.map(({ taskId }) => taskId).join(' and ')} share one video`];
    }),
  ];
}

function repeatedSubmits({ submits, attempts }: FreezeEvidence): string[] {
  const counted = Map.groupBy(submits, ({ jobId }) => jobId);
  const known = new Set(attempts.map(({ taskId, attempt }) => `${taskId}-${attempt}`));
  return [...counted].flatMap(([jobId, same]) => [
    ...(same.length === 1 ? [] : [`${jobId} was submitted ${same.length} times`]),
    ...(known.has(jobId) ? [] : [`${jobId} was submitted without an attempt`]),
  ]);
}

function deletedObjects({ tasks, objectsSeen, objectsLeft }: FreezeEvidence): string[] {
  const left = new Set(objectsLeft);
  const wanted = new Set([...objectsSeen, ...tasks.flatMap(({ objectKeys }) => objectKeys)]);
  return [...wanted].filter((key) => !left.has(key)).map((key) => `${key} was deleted from the store`);
}

/** Objects to each fault without a check, and to whatever a check found wrong, once for all its faults. */
function wereChecked(
  when: 'after' | 'during',
  faults: readonly Fault[],
  checkOf: (fault: Fault) => Check | undefined,
): string[] {
  const faultsOf = Map.groupBy(faults, checkOf);
  return [...faultsOf].flatMap(([check, some]) => {
    const moment = `${when} the ${some.map(nameOf).join(', the ')}`;
    return check ? problemsOf(check, moment) : [`nothing was checked ${moment}`];
  });
}

function problemsOf({ probeSeconds, readSeconds, roundSeconds }: Check, when: string): string[] {
  const isLate = (seconds: number | null): boolean => seconds === null || seconds > limitSeconds;
  const endpoints = Object.entries(probeSeconds);
  return [
    ...(endpoints.length === 0 ? [`no endpoint was probed ${when}`] : []),
    ...endpoints
      .filter(([, seconds]) => isLate(seconds))
      .map(([endpoint]) => `${endpoint} completed no new task within ${limitSeconds} s ${when}`),
    ...(isLate(readSeconds)
      ? [`the API did not serve 100 reads in a row within 1 s each, beginning within ${limitSeconds} s ${when}`]
      : []),
    ...(isLate(roundSeconds) ? [`no reconciler round ended within ${limitSeconds} s ${when}`] : []),
  ];
}

/** Another process must have taken over an attempt that the silent worker held, before that worker went on. */
function wasTakenOver(fault: Fault, { holders }: FreezeEvidence): string[] {
  const until = fault.kind === 'vanish' ? Infinity : fault.until;
  const meanwhile = holders.filter(({ at }) => at <= until);
  return isTakenOver(meanwhile, fault) ? [] : [`no worker took over after the ${nameOf(fault)}`];
}

/** What notices that a worker is gone, and hands its jobs on. */
const noticing: readonly Target[] = ['relay', 'postgres', 'temporal'];

/** Returns how long each attempt of a silent worker waited for another one, unless something else was silent too. */
function secondsUntilTakeover(fault: Fault, { faults, holders }: FreezeEvidence): number[] {
  const isUndisturbed = !faults.some(
    ({ target, from, until }) =>
      noticing.includes(target) && from < fault.from + takeoverSeconds * 1000 && until > fault.from,
  );
  if (fault.target !== 'worker' || !isUndisturbed) return [];
  const until = fault.kind === 'vanish' ? Infinity : fault.until;
  return takenFrom(holders, fault)
    .filter(({ at }) => at <= until)
    .map(({ at }) => Math.round((at - fault.from) / 100) / 10);
}

/** Whether a process took over an attempt that another one, silent since `from`, had held until then. */
export function isTakenOver(holders: readonly Holder[], fault: Pick<Fault, 'pid' | 'from'>): boolean {
  return takenFrom(holders, fault).length > 0;
}

function takenFrom(holders: readonly Holder[], { pid, from }: Pick<Fault, 'pid' | 'from'>): Holder[] {
  const holderBefore = ({ at, taskId, attempt }: Holder): Holder | undefined =>
    holders
      .filter((one) => one.taskId === taskId && one.attempt === attempt && one.at < at)
      .toSorted((one, other) => other.at - one.at)[0];
  return holders.filter(
    (holder) => holder.isTakeover && holder.pid !== pid && holder.at > from && holderBefore(holder)?.pid === pid,
  );
}

function enoughWasDone(
  { faults, tasks }: FreezeEvidence,
  planned: Planned,
  isLong: (fault: Fault) => boolean,
): string[] {
  const done: [what: string, count: number, wanted: number][] = [
    ['tasks', tasks.length, planned.tasks],
    ['vanished workers', faults.filter(({ kind }) => kind === 'vanish').length, planned.vanishes],
    ...targets.flatMap((target): [string, number, number][] => [
      [`freezes of ${target}`, freezesOf(faults, target).length, planned.freezesOf[target]],
      [`long freezes of ${target}`, freezesOf(faults, target).filter(isLong).length, planned.longFreezesOf[target]],
    ]),
  ];
  return done.flatMap(([what, count, wanted]) =>
    count < wanted ? [`too little was done: ${count} of ${wanted} ${what}`] : [],
  );
}

function freezesOf(faults: readonly Fault[], target: Target): Fault[] {
  return faults.filter((fault) => fault.kind === 'freeze' && fault.target === target);
}

function nameOf({ kind, target, from, until }: Fault): string {
  return kind === 'vanish'
    ? `loss of a ${target}'s host`
    : `freeze of ${target} for ${Math.round((until - from) / 1000)} s`;
}

function most(seconds: readonly (number | null)[]): string {
  if (seconds.length === 0) return 'never measured';
  return seconds.includes(null) ? `more than ${limitSeconds}` : Math.max(...seconds.map(Number)).toFixed(1);
}
