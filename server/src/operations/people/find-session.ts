import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import type { SignedIn } from '../../domain/console-session.ts';
import { sha256OfSecret } from './open-session.ts';

/** The time of the last use is accurate to the minute, so that a busy page does not write at each request. */
const noteUseMilliseconds = 60_000;

/** Returns who is signed in with the secret of a cookie, read at each request, so that an end holds at once. */
export async function findSession(
  { db, clock, letsDevelopersIn }: { db: Pick<Database, 'consoleSessions'>; clock: Clock; letsDevelopersIn: boolean },
  secret: string,
): Promise<SignedIn | null> {
  const now = clock.now();
  const found = await db.consoleSessions.findByHash(sha256OfSecret(secret), now);
  // A database that was used for development may have such sessions.
  if (found?.session.method === 'development' && !letsDevelopersIn) return null;
  if (found && now.getTime() - found.session.lastUsedAt.getTime() >= noteUseMilliseconds)
    await db.consoleSessions.noteUse(found.session.id, now);
  return found;
}
