import type { Tables } from '../../db/database.ts';
import { newSecret, sha256OfSecret } from './open-session.ts';

/** 7 days: an invitation survives a weekend and a holiday. */
const setupLinkMilliseconds = 7 * 86_400_000;

/** A link that sets a password once and ends earlier ones. Its secret is in the fragment, which browsers never send. */
export async function makeSetupLink(
  tables: Pick<Tables, 'signInTokens'>,
  personId: string,
  consoleUrl: string,
  now: Date,
): Promise<string> {
  const secret = newSecret();
  const expiresAt = new Date(now.getTime() + setupLinkMilliseconds);
  await tables.signInTokens.deleteOf(personId);
  await tables.signInTokens.insert({ sha256: sha256OfSecret(secret), personId, createdAt: now, expiresAt });
  return `${consoleUrl}/set-password#token=${secret}`;
}
