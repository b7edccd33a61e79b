import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';

/** An endpoint's owner writes its state at least every ten seconds: three missed writes and it counts as unknown. */
export const seenWithinMilliseconds = 30_000;

/** The pools that have an endpoint which would take a job now, by what its owner saw lately. */
export async function acceptingPools({ db, clock }: { db: Database; clock: Clock }): Promise<ReadonlySet<string>> {
  const earliest = clock.now().getTime() - seenWithinMilliseconds;
  const states = await db.endpointStates.list();
  return new Set(
    states
      .filter(({ isAccepting, seenAt }) => isAccepting && seenAt && seenAt.getTime() >= earliest)
      .map(({ pool }) => pool),
  );
}
