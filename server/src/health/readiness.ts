import { setTimeout as pause } from 'node:timers/promises';
import type { Isolation } from '@kinora/boxes/isolation';
import { minimumDaysAhead, partitionDaysAhead } from '../db/connection/partitions.ts';
import type { Parts } from './parts.ts';

/** Shorter than the time-out of any usual probe: a part that hangs must not look like a process that hangs. */
const checkMilliseconds = 2_000;
/** Anyone may ask, as often as they like: only the first request per second costs queries. */
const keptMilliseconds = 1_000;

interface Readiness {
  ready: boolean;
  checks: Record<string, 'ok' | 'degraded' | 'failed'>;
  /** How child processes are isolated; null if this process starts none. */
  isolation: Isolation | null;
}

/** Tells supervisors and load balancers whether this process is ready. */
export interface ReadinessCheck {
  check(): Promise<Readiness>;
  /** From now on the process is not ready, because it is shutting down. */
  stop(): void;
}

/** Postgres and its partitions decide: callers do not notice at once if Temporal or the store is unavailable. */
export function createReadiness(parts: Omit<Parts, 'log'>, isolation: Isolation | null): ReadinessCheck {
  const stopping: Readiness = { ready: false, checks: { process: 'failed' }, isolation };
  const { db, storage, workflows, clock } = parts;
  let isStopping = false;
  const enoughPartitions = async (): Promise<void> => {
    if ((await partitionDaysAhead(db.kysely, clock.now())) < minimumDaysAhead)
      throw new Error('too few partitions ahead');
  };
  const checkParts = async (): Promise<Readiness> => {
    const [postgres, partitions, temporal, store] = await Promise.all([
      verdict(db.check(), 'failed'),
      verdict(enoughPartitions(), 'failed'),
      verdict(workflows.check(), 'degraded'),
      verdict(storage.check(), 'degraded'),
    ]);
    return {
      ready: postgres === 'ok' && partitions === 'ok',
      checks: { postgres, partitions, temporal, storage: store },
      isolation,
    };
  };
  /** The check in flight, or the last one while its result is kept. */
  let latest: Promise<Readiness> | null = null;
  const forget = (): void => {
    latest = null;
  };
  return {
    async check() {
      if (isStopping) return stopping;
      latest ??= checkParts().finally(() => setTimeout(forget, keptMilliseconds).unref());
      const readiness = await latest;
      return isStopping ? stopping : readiness;
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
