import { checkHistory, checkRest } from '../crash/check-history.ts';
import type { Thresholds } from '../crash/history.ts';
import { judgeFailover } from '../failover/judge-failover.ts';
import { isTakenOver } from '../freeze/judge-freeze.ts';
import type { ProofOutcome } from '../proof.ts';
import { judgeRestore } from '../restore/judge-restore.ts';
import { nameOf, plannedFaults, plannedSilences, type Silence, type WalkEvidence } from './walk-evidence.ts';

/** The walk has thresholds of its own. No task may fail, because none loses more than two attempts. */
const noThresholds: Thresholds = {
  tasks: 0,
  kills: 0,
  hitsOfEachFailpoint: 0,
  followedTakeovers: 0,
  terminationsOfEachStage: 0,
  drains: 0,
  failedShare: 0,
};

/** Judges a walk by events, order and counts. How long anything took is only a figure. */
export function judgeFaultWalk(evidence: WalkEvidence, tasks: number): ProofOutcome {
  const { silences, holders, before, after } = evidence;
  const planned = { tasks, faults: plannedFaults, recoverySeconds: Infinity, sweeps: 1 };
  const outcomes = [judgeFailover(evidence, planned), judgeRestore(evidence, planned)];
  return {
    figures: {
      ...Object.assign({}, ...outcomes.map(({ figures }) => figures)),
      silences: silences.length,
      takeovers: holders.filter(({ isTakeover }) => isTakeover).length,
      attemptsLost: before.attempts.filter(({ outcome }) => outcome !== 'completed').length,
    },
    // Both judges judge what callers experienced.
    failures: [
      ...new Set([
        ...outcomes.flatMap(({ failures }) => failures),
        ...checkHistory(before, noThresholds),
        ...checkRest(after),
        ...plannedSilences
          .filter(({ kind, role }) => !silences.some((silence) => silence.kind === kind && silence.role === role))
          .map((silence) => `this fault was not caused: ${nameOf(silence)}`),
        ...silences.flatMap((silence) => problemsOf(silence, evidence)),
      ]),
    ],
  };
}

function problemsOf(silence: Silence, evidence: WalkEvidence): string[] {
  const { holders, rounds } = evidence;
  const { kind, role, copy, from, inFlight } = silence;
  // What a frozen process does after it went on is no sign that the others could do without it.
  const until = kind === 'freeze' ? silence.until : Infinity;
  const meanwhile = holders.filter(({ at }) => at <= until);
  const hasRound = rounds.some((round) => round.copy !== copy && round.at > from && round.at <= until);
  return [
    ...(inFlight.length === 0 ? [`nothing was in flight at ${nameOf(silence)}`] : []),
    ...(role === 'worker' && !isTakenOver(meanwhile, silence) && !isRepeated(silence, evidence)
      ? [`no worker took over after ${nameOf(silence)}`]
      : []),
    ...(role === 'relay' && kind === 'freeze' && !hasRound
      ? [`no other relay ended a round of the reconciler during ${nameOf(silence)}`]
      : []),
  ];
}

/** Whether commits on their way ended all that the process had in flight, so that the fault was caused once more. */
function isRepeated({ kind, role, from, inFlight }: Silence, { silences, before }: WalkEvidence): boolean {
  const isLost = (taskId: string): boolean =>
    before.attempts.some((attempt) => attempt.taskId === taskId && attempt.outcome !== 'completed');
  return (
    silences.some((silence) => silence.kind === kind && silence.role === role && silence.from > from) &&
    !inFlight.some(isLost)
  );
}
