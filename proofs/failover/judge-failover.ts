import type { FaultEvidence } from '../faults/fault-evidence.ts';
import { judgeFaults, type PlannedFaults } from '../faults/judge-faults.ts';
import type { ProofOutcome } from '../proof.ts';

export interface FailoverEvidence extends FaultEvidence {
  /** The size of the log that the promoted replica lacked. */
  lostBytes: number;
  /** How many attempts were taken from a worker as if it were gone; null if workers were. */
  takenAway: number | null;
}

export function judgeFailover(evidence: FailoverEvidence, planned: PlannedFaults): ProofOutcome {
  const { figures, failures } = judgeFaults(evidence, planned);
  const { lostBytes, rolledBack, takenAway } = evidence;
  const milliseconds = rolledBack.map(({ from, until }) => until - from);
  return {
    figures: {
      ...figures,
      recoveryPointMilliseconds: Math.round(Math.max(0, ...milliseconds)),
      lostBytes,
      ...(takenAway !== null && { takenAway }),
    },
    failures: [
      ...failures,
      ...(takenAway !== null && takenAway > 0
        ? [`${takenAway} attempts were taken from workers that lived: Postgres was away, not they`]
        : []),
      ...(planned.faults.includes('a failover') && lostBytes === 0
        ? ['the promoted replica lacked nothing, so the failover proved nothing']
        : []),
    ],
  };
}
