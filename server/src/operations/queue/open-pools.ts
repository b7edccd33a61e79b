import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';

/** Its owner writes at least every ten seconds. */
const seenWithinMilliseconds = 30_000;

/** The pools that have an endpoint which would take a job now, by what its owner saw lately. */
export async function openPools({ db, clock }: { db: Database; clock: Clock }): Promise<ReadonlySet<string>> {
  const earliest = clock.now().getTime() - seenWithinMilliseconds;
  const states = await db.endpointStates.list();
  return new Set(
    states.filter(({ isOpen, seenAt }) => isOpen && seenAt && seenAt.getTime() >= earliest).map(({ pool }) => pool),
  );
}
