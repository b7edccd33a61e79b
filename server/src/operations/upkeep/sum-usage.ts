import type { Database } from '../../db/database.ts';
import { longestLifeSeconds } from '../projects/longest-life.ts';

/** Computes the usage sums of all days that have ended, and again of those whose tasks were recorded late. */
export async function sumUsage({ db, waitLimitHours }: { db: Database; waitLimitHours: number }): Promise<void> {
  const longestLife = longestLifeSeconds(waitLimitHours);
  while (await db.transaction(({ usageRollUp }) => usageRollUp.sumNext(longestLife)));
  while (await db.transaction(({ usageRollUp }) => usageRollUp.sumLate(longestLife)));
}
