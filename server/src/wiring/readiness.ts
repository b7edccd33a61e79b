import { setTimeout as pause } from 'node:timers/promises';
import { minimumDaysAhead, partitionDaysAhead } from '../db/partitions.ts';
import type { Foundation } from './foundation.ts';

/** Shorter than the time-out of any usual probe: a part that hangs must not look like a process that hangs. */
const checkMilliseconds = 2_000;

interface Readiness {
  ready: boolean;
  checks: Record<string, 'ok' | 'degraded' | 'failed'>;
}

/** Tells supervisors and load balancers whether this process is ready. */
export interface ReadinessCheck {
  check(): Promise<Readiness>;
  /** From now on the process is not ready, because it is shutting down. */
  stop(): void;
}

/** Postgres and its partitions decide: callers do not notice at once if Temporal or the store is unavailable. */
export function createReadiness(
  foundation: Pick<Foundation, 'db' | 'storage' | 'workflows' | 'clock'>,
): ReadinessCheck {
  const { db, storage, workflows, clock } = foundation;
  let isStopping = false;
  const enoughPartitions = async (): Promise<void> => {
    if ((await partitionDaysAhead(db.kysely, clock.now())) < minimumDaysAhead)
      throw new Error('too few partitions ahead');
  };
  return {
    async check() {
      if (isStopping) return { ready: false, checks: { process: 'failed' } };
      const [postgres, partitions, temporal, store] = await Promise.all([
        verdict(db.check(), 'failed'),
        verdict(enoughPartitions(), 'failed'),
        verdict(workflows.check(), 'degraded'),
        verdict(storage.check(), 'degraded'),
      ]);
      return {
        ready: postgres === 'ok' && partitions === 'ok' && !isStopping,
        checks: { postgres, partitions, temporal, storage: store },
      };
    },
    stop() {
      isStopping = true;
    },
  };
}

async function verdict<Otherwise extends 'failed' | 'degraded'>(
  check: Promise<void>,
  otherwise: Otherwise,
): Promise<'ok' | Otherwise> {
  const passed = check.then(
    () => 'ok' as const,
    () => otherwise,
  );
  return Promise.race([passed, pause(checkMilliseconds, otherwise, { ref: false })]);
}
