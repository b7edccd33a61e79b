import { minimumDaysAhead, partitionDaysAhead } from '../db/partitions.ts';
import type { Foundation } from './foundation.ts';

/** Postgres and its partitions decide: callers do not notice at once if Temporal or the store is unavailable. */
export async function readiness({ db, storage, workflows, clock }: Foundation) {
  const verdict = async (check: Promise<void>, otherwise: 'failed' | 'degraded') =>
    check.then(
      () => 'ok' as const,
      () => otherwise,
    );
  const enoughPartitions = async (): Promise<void> => {
    if ((await partitionDaysAhead(db.kysely, clock.now())) < minimumDaysAhead)
      throw new Error('too few partitions ahead');
  };
  const [postgres, partitions, temporal, store] = await Promise.all([
    verdict(db.check(), 'failed'),
    verdict(enoughPartitions(), 'failed'),
    verdict(workflows.check(), 'degraded'),
    verdict(storage.check(), 'degraded'),
  ]);
  return {
    ready: postgres === 'ok' && partitions === 'ok',
    checks: { postgres, partitions, temporal, storage: store },
  };
}
