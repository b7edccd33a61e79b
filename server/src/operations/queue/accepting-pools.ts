import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';

/** An endpoint's owner writes its state at least every 10 s: after three missed writes the state counts as unknown. */
export const seenWithinMilliseconds = 30_000;

/** Returns the pools that have an endpoint which accepts jobs now, according to its owner's last probe. */
export async function acceptingPools({ db, clock }: { db: Database; clock: Clock }): Promise<ReadonlySet<string>> {
  const earliest = clock.now().getTime() - seenWithinMilliseconds;
  const states = await db.endpointStates.list();
  return new Set(
    states
      .filter(({ isAccepting, seenAt }) => isAccepting && seenAt && seenAt.getTime() >= earliest)
      .map(({ pool }) => pool),
  );
}
