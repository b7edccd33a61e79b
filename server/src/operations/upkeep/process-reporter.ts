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

export interface ProcessReporter {
  /** Tells operators and the other processes how this one is, and which models file it has. */
  report: () => Promise<void>;
  /** Gives a sign of life. A worker that gives none is gone, and others follow its jobs. */
  sign: () => Promise<void>;
}

/** Reports a process, and warns once if models files have differed for longer than a rollout takes. */
export function createProcessReporter({ db, clock, log, describe }: Dependencies): ProcessReporter {
  let differSince: number | null = null;
  let hasWarned = false;
  const report = async (): Promise<void> => {
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
  return {
    report,
    sign: async () => {
      // Postgres forgets the reports when it crashes.
      if (!(await db.processes.sign(describe().id))) await report();
    },
  };
}
