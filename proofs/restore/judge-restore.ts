import type { FaultEvidence } from '../faults/fault-evidence.ts';
import { judgeFaults, type PlannedFaults } from '../faults/judge-faults.ts';
import type { ProofOutcome } from '../proof.ts';

export interface RestoreEvidence extends FaultEvidence {
  /** What `kinora-server sweep` did under a database that does not match the bucket. */
  sweeps: { under: string; isRefused: boolean; printed: string }[];
  /** The clocks that were set wrong, and how far the log of the process was off. */
  clocks: { process: string; wantedSeconds: number; measuredSeconds: number }[];
  /** The objects that were in the bucket at some moment, and at the end. */
  objectsSeen: string[];
  objectsLeft: string[];
}

export interface PlannedRestore extends PlannedFaults {
  sweeps: number;
}

/** A process takes a while to log its first line. */
const clockToleranceSeconds = 5;

export function judgeRestore(evidence: RestoreEvidence, planned: PlannedRestore): ProofOutcome {
  const { sweeps, clocks, objectsSeen, objectsLeft } = evidence;
  const { figures, failures } = judgeFaults(evidence, planned);
  const finished = objectsSeen.filter(isFinished);
  const deleted = finished.filter((key) => !objectsLeft.includes(key));
  return {
    figures: {
      ...figures,
      sweepsRefused: sweeps.filter(({ isRefused }) => isRefused).length,
      objects: finished.length,
      objectsDeleted: deleted.length,
      clocks: clocks.map(({ process, measuredSeconds }) => `${process} ${Math.round(measuredSeconds)} s`).join(', '),
    },
    failures: [
      ...failures,
      ...(sweeps.length < planned.sweeps ? [`only ${sweeps.length} of ${planned.sweeps} sweeps were tried`] : []),
      ...(finished.length === 0 ? ['the bucket was empty, so no sweep could delete anything'] : []),
      ...sweeps
        .filter(({ isRefused }) => !isRefused)
        .map(({ under, printed }) => `the sweep under ${under} was not refused: ${printed}`),
      ...deleted.map((key) => `${key} was deleted`),
      ...clocks
        .filter(
          ({ wantedSeconds, measuredSeconds }) => !(Math.abs(wantedSeconds - measuredSeconds) <= clockToleranceSeconds),
        )
        .map(
          ({ process, wantedSeconds, measuredSeconds }) =>
            `the clock of ${process} was off by ${measuredSeconds} s instead of ${wantedSeconds} s`,
        ),
    ],
  };
}

/** Finished files are named by their hash. What an engine delivered is needed only until its task has ended. */
function isFinished(key: string): boolean {
  return /\/[0-9a-f]{64}\.(?:mp4|jpg|png)$/.test(key);
}
