import type { AdvisoryLock } from '../db/connection/lock-session.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../domain/clock.ts';
import { sweepObjects } from '../operations/upkeep/sweep-objects.ts';
import type { Storage } from '../storage/storage.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

interface Dependencies {
  db: Database;
  storage: Storage;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, 'sweepRefused'>;
  lock: Pick<AdvisoryLock, 'isHeld'>;
}

const hourSeconds = 60 * 60;
const daySeconds = 24 * hourSeconds;

/**
 * Sweeps once a day, if this relay holds the lock: first an hour after the start, so that an operator can notice a
 * wrong database; hourly after a refusal.
 */
export function dailySweep(dependencies: Dependencies): () => Promise<void> {
  const { clock, log, metrics, lock } = dependencies;
  const inSeconds = (seconds: number) => clock.now().getTime() + seconds * 1000;
  let dueAt = inSeconds(hourSeconds);
  metrics.sweepRefused(false);
  return async () => {
    if (clock.now().getTime() < dueAt || !lock.isHeld()) return;
    const result = await sweepObjects(dependencies, { olderThanSeconds: daySeconds, isDryRun: false });
    const isRefused = 'reason' in result;
    metrics.sweepRefused(isRefused);
    dueAt = inSeconds(isRefused ? hourSeconds : daySeconds);
    if (isRefused) {
      log.warn({ event: 'sweep.refused', ...result }, 'sweep refused');
      return;
    }
    const counts = { ...result, trashed: result.trashed.length, erased: result.erased.length };
    if (Object.values(counts).some((count) => count > 0))
      log.info({ event: 'objects.swept', ...counts }, 'orphaned objects swept');
  };
}
