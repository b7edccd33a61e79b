import type { FaultEvidence } from '../faults/fault-evidence.ts';
import { judgeFaults } from '../faults/judge-faults.ts';
import type { ProofOutcome } from '../proof.ts';
import type { LockWatch } from './watch-locks.ts';

/** What was seen of a migration beside a long reader. */
export interface Migrating extends LockWatch {
  printed: string;
  slowestReadMilliseconds: number;
}

/** One replacement of all roles by those of another version. */
export interface RolloutStep {
  name: string;
  /** What `migrate` of that version said. */
  printed: string;
  /** How many workflows were open when it began. */
  open: number;
  /** How long the tasks that were open when it ended took to end. */
  seconds: number;
  /** Those that never ended. */
  stuck: string[];
}

export interface RolloutEvidence extends FaultEvidence {
  /** How the older version took the recorded histories of this one. */
  replays: { replayed: number; refused: string[] };
  steps: RolloutStep[];
  migrating: Migrating;
  /** The kinds of what the reconciler found. */
  findings: string[];
  requests: number;
  requestFailures: string[];
}

/** `migrate` lets others wait for 2 s; a sample, and the end of the wait, take a moment. */
const longestWaitMilliseconds = 2_500;
const expectedSteps = 3;
/** Longer than a workflow that was outgrown takes to go on from the row. */
const longestEndSeconds = 180;

export function judgeRollout(evidence: RolloutEvidence, planned: { tasks: number; open: number }): ProofOutcome {
  const { replays, steps, migrating, findings, requests, requestFailures } = evidence;
  const { figures, failures } = judgeFaults(evidence, { tasks: planned.tasks, faults: [] });
  const outgrown = findings.filter((kind) => kind === 'outgrown').length;
  const unexpected = findings.filter((kind) => kind !== 'outgrown' && kind !== 'admitted');
  return {
    figures: {
      ...figures,
      requests,
      historiesReplayedOnOlder: replays.replayed,
      outgrown,
      longestWaitBehindMigrateMilliseconds: Math.round(migrating.longestWaitMilliseconds),
      lockSamples: migrating.samples,
      slowestReadBesideMigrateMilliseconds: migrating.slowestReadMilliseconds,
      slowestStepSeconds: Math.max(0, ...steps.map(({ seconds }) => seconds)),
    },
    failures: [
      ...failures,
      ...(steps.length < expectedSteps ? [`only ${steps.length} of ${expectedSteps} steps were taken`] : []),
      ...steps
        .filter(({ open }) => open < planned.open)
        .map(({ name, open }) => `only ${open} workflows were open at the beginning of ${name}`),
      ...steps
        .filter(({ seconds }) => seconds > longestEndSeconds)
        .map(({ name, seconds }) => `the tasks that were open after ${name} took ${seconds} s to end`),
      ...steps.flatMap(({ name, stuck }) => stuck.map((taskId) => `${taskId} was stuck after ${name}`)),
      ...(steps[1]?.printed.includes('There is nothing to do') ? [] : ['the older migrate did not say that it works']),
      ...replays.refused.map((name) => `the older version does not replay ${name}`),
      ...(replays.replayed === 0 ? ['no history was replayed on the older version'] : []),
      ...(outgrown === 0 ? ['no workflow was outgrown, so the versions do not differ'] : []),
      ...unexpected.map((kind) => `the reconciler found ${kind}`),
      ...requestFailures.map((failure) => `a request failed: ${failure}`),
      ...(migrating.printed.includes('gives way') ? [] : ['migrate did not have to give way to the reader']),
      ...(migrating.samples === 0 ? ['nobody looked who waited behind migrate'] : []),
      ...(migrating.longestWaitMilliseconds > longestWaitMilliseconds
        ? [`somebody waited ${Math.round(migrating.longestWaitMilliseconds)} ms behind migrate`]
        : []),
    ],
  };
}
