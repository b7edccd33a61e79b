import { type UsualRole, usualRoles } from '@kinora/stack/harness/installation';
import type { History } from '../crash/history.ts';
import type { FailoverEvidence } from '../failover/judge-failover.ts';
import type { RoundWatch } from '../faults/watch-rounds.ts';
import type { Holder } from '../freeze/freeze-evidence.ts';
import type { RestoreEvidence } from '../restore/judge-restore.ts';

/** Everything that a walk did and found, as plain data for the judge. Times are unix milliseconds. */
export interface WalkEvidence extends FailoverEvidence, RestoreEvidence {
  silences: Silence[];
  /** Which worker process began an attempt or took it over, by the workers' logs. */
  holders: Holder[];
  rounds: RoundWatch['ended'];
  /** What was left at rest, before the database lost any commit and at the end. */
  before: History;
  after: History;
}

export const silenceKinds = ['kill', 'freeze'] as const;

/** A process that was killed and started again, or that was frozen and went on. */
export interface Silence {
  kind: (typeof silenceKinds)[number];
  role: UsualRole;
  copy: number;
  pid: number;
  from: number;
  until: number;
  /** The tasks that were being rendered; those of a worker or an engine are its own. */
  inFlight: string[];
}

export const failover = 'a failover';
export const restore = 'a restore of Postgres';

export function nameOf({ kind, role }: Pick<Silence, 'kind' | 'role'>): string {
  return `the ${kind} of one ${role}`;
}

export function beginOf(silence: Pick<Silence, 'kind' | 'role'>): string {
  return `the begin of ${nameOf(silence)}`;
}

/** Every silence that a walk must have had. */
export const plannedSilences = usualRoles.flatMap((role) => silenceKinds.map((kind) => ({ kind, role })));

/** The moments after which new tasks must complete on every endpoint that is up, and reads must be answered. */
export const plannedFaults: readonly string[] = [
  ...plannedSilences.flatMap((silence) => (silence.kind === 'freeze' ? [beginOf(silence)] : [])),
  ...plannedSilences.map(nameOf),
  failover,
  restore,
];
