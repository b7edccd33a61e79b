import type { ProcessReport } from '../../db/attempts/process-table.ts';
import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../telemetry/log.ts';

/** 2 min: a Kubernetes ConfigMap reaches its pods up to 90 s apart. */
const toleratedMilliseconds = 120_000;

interface Dependencies {
  db: Pick<Database, 'processes'>;
  clock: Clock;
  log: Log;
  /** Describes this process as it is now. */
  describe: () => ProcessReport;
}

/**
 * Returns a function that tells operators and the other processes how this one is, and which models file it has. It warns
 * once if the files have differed for longer than a rollout takes.
 */
export function createProcessReporter({ db, clock, log, describe }: Dependencies): () => Promise<void> {
  let differSince: number | null = null;
  let hasWarned = false;
  return async () => {
    await db.processes.report(describe());
    const fingerprints = await db.processes.fingerprints();
    const now = clock.now().getTime();
    if (fingerprints.length <= 1) {
      differSince = null;
      hasWarned = false;
      return;
    }
    differSince ??= now;
    if (hasWarned || now - differSince < toleratedMilliseconds) return;
    hasWarned = true;
    log.warn({ event: 'models_file.differs', files: fingerprints.length }, 'processes have different models files');
  };
}
