import type { ModelsFileReport } from '../../db/attempts/models-file-table.ts';
import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../telemetry/log.ts';

/** 2 min: a Kubernetes ConfigMap reaches its pods up to 90 s apart. */
const toleratedMilliseconds = 120_000;

interface Dependencies {
  db: Pick<Database, 'modelsFiles'>;
  clock: Clock;
  log: Log;
  /** Describes the models file that this process has now. */
  describe: () => ModelsFileReport;
}

/**
 * Returns a function that tells the other processes which models file this one has. It warns once if the files have
 * differed for longer than a rollout takes.
 */
export function createModelsFileReporter({ db, clock, log, describe }: Dependencies): () => Promise<void> {
  let differSince: number | null = null;
  let hasWarned = false;
  return async () => {
    await db.modelsFiles.report(describe());
    const fingerprints = await db.modelsFiles.fingerprints();
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
