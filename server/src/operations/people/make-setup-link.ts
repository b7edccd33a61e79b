import type { Tables } from '../../db/database.ts';
import { newSecret, sha256OfSecret } from './open-session.ts';

/** 7 days: an invitation survives a weekend and a holiday. */
const setupLinkMilliseconds = 7 * 86_400_000;

/**
 * Returns a link with which a person sets a password once. Earlier links of the person stop working. The secret is in
 * the fragment, which browsers do not send, so no proxy logs it.
 */
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
