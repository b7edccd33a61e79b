import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../errors.ts';
import type { Authenticator } from '../keys/authenticator.ts';
import { type AccessTokens, isAccessToken } from './access-tokens.ts';
import { authenticateToken, expiredToken, invalidToken } from './authenticate-token.ts';

/** Half a kilobyte each. If one is forgotten, it costs one query more. */
const maximumRefused = 10_000;

interface Parts {
  db: Pick<Database, 'apiKeys'>;
  clock: Clock;
  accessTokens: AccessTokens;
  /** Authenticates keys. */
  authenticator: Authenticator;
}

/** Authenticates tokens too. Only a token that was refused before counts as unknown: nobody can make up a signature. */
export function acceptTokens({ db, clock, accessTokens, authenticator }: Parts): Authenticator {
  const refused = new Set<string>();
  return {
    async authenticate(text, beforeLookup, taskId = null) {
      if (!isAccessToken(text)) return authenticator.authenticate(text, beforeLookup, taskId);
      const token = accessTokens.verify(text);
      if (token === null || token === 'expired' || refused.has(text)) beforeLookup();
      if (token === null) throw invalidToken();
      if (token === 'expired') throw expiredToken();
      try {
        return await authenticateToken({ db, clock }, { token, taskId });
      } catch (error) {
        if (error instanceof AppError) {
          if (refused.size >= maximumRefused) refused.clear();
          refused.add(text);
        }
        throw error;
      }
    },
  };
}
