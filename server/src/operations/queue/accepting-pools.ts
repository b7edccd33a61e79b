import type { Database } from '../../db/database.ts';
import { isSeen } from '../../domain/seen-endpoint.ts';

/** Returns the pools that have an endpoint which accepts jobs now, according to its owner's last probe. */
export async function acceptingPools({ db }: { db: Database }): Promise<ReadonlySet<string>> {
  const states = await db.endpointStates.list();
  return new Set(states.filter((state) => state.isAccepting && isSeen(state)).map(({ pool }) => pool));
}
