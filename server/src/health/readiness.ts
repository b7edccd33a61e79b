import { setTimeout as pause } from 'node:timers/promises';
import type { Isolation } from '@kinora/boxes/isolation';
import { minimumDaysAhead, partitionDaysAhead } from '../db/connection/partitions.ts';
import { readSchemaState } from '../db/connection/schema-state.ts';
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
  /** A program can work on a schema that has more than it knows, but not on one that lacks something. */
  const wholeSchema = async (): Promise<void> => {
    const { missing } = await readSchemaState(db.kysely);
    if (missing.length > 0) throw new Error(`migrations are missing: ${missing.join(', ')}`);
  };
  const checkParts = async (): Promise<Readiness> => {
    const [postgres, schema, partitions, temporal, store] = await Promise.all([
      verdict(db.check(), 'failed'),
      verdict(wholeSchema(), 'failed'),
      verdict(enoughPartitions(), 'failed'),
      verdict(workflows.check(), 'degraded'),
      verdict(storage.check(), 'degraded'),
    ]);
    return {
      ready: postgres === 'ok' && schema === 'ok' && partitions === 'ok',
      checks: { postgres, schema, partitions, temporal, storage: store },
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
