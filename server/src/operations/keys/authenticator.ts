import type { Database } from '../../db/database.ts';
import { parseApiKey } from '../../domain/api-key.ts';
import type { Clock } from '../../domain/clock.ts';
import { takeFromRate } from '../../domain/rate-limit.ts';
import { AppError } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import { type Authenticated, authenticateFor, hashApiKey } from './authenticate.ts';

/** Some 40 bytes each. Keys beyond this number work, but are looked up like unknown ones. */
const maximumKeys = 500_000;
/** Lookups of unknown keys for all addresses together. Each costs a query, and an attacker may have many addresses. */
export const lookups = { perMinute: 6_000, burst: 1_000 };
const reloadMilliseconds = 1_000;
/** More than clocks differ and transactions last: a key's id has the time at which it was made, not committed. */
const overlapMilliseconds = 60_000;

export interface Authenticator {
  /**
   * Returns the caller that a key belongs to. Calls `beforeLookup` first if the key is unknown to this process; if that
   * throws, the key costs no query. The statement that looks the key up also reads the task with the id, if there is one.
   */
  authenticate: (key: string, beforeLookup: () => void, taskId?: string | null) => Promise<Authenticated>;
}

/**
 * Remembers which keys were valid, so that made-up keys do not cost a query each. That decides only about limits: each
 * key is still read, so a revocation holds from the next request. If a limit refuses a new key, keys are loaded before
 * its next try.
 */
export function createAuthenticator(parts: { db: Database; clock: Clock; log: Log }): Authenticator {
  const { db, clock, log } = parts;
  const known = new Set<number>();
  let loadedAt: Date | null = null;
  let reloadAt = 0;
  let lookupAllowedAt = 0;

  const remember = (fingerprint: number): void => {
    if (known.size < maximumKeys) known.add(fingerprint);
  };

  const loadSoon = (): void => {
    const now = clock.now();
    if (now.getTime() < reloadAt) return;
    reloadAt = now.getTime() + reloadMilliseconds;
    const since = new Date(loadedAt === null ? 0 : loadedAt.getTime() - overlapMilliseconds);
    db.apiKeys.usableHashes({ since, at: now, limit: maximumKeys }).then(
      (hashes) => {
        for (const hash of hashes) remember(fingerprintOf(hash));
        loadedAt = now;
      },
      (error) => log.warn({ event: 'known_keys.load_failed', err: error }, 'known keys not loaded'),
    );
  };

  const takeLookup = (key: string, beforeLookup: () => void): void => {
    try {
      beforeLookup();
      if (!parseApiKey(key)) return;
      const taken = takeFromRate({ ...lookups, allowedAt: lookupAllowedAt }, clock.now().getTime());
      if ('waitMilliseconds' in taken)
        throw new AppError('rate_limited', {
          retryAfterSeconds: 1,
          message: 'Too many requests with unknown keys. Try again in 1 s.',
        });
      lookupAllowedAt = taken.allowedAt;
    } catch (error) {
      loadSoon();
      throw error;
    }
  };

  loadSoon();
  return {
    async authenticate(key, beforeLookup, taskId = null) {
      const sha256 = hashApiKey(key);
      const fingerprint = fingerprintOf(sha256);
      // Until the keys are loaded, any key may be a valid one.
      if (loadedAt === null) loadSoon();
      else if (!known.has(fingerprint)) takeLookup(key, beforeLookup);
      try {
        const authenticated = await authenticateFor({ db, clock }, { key, sha256, taskId });
        remember(fingerprint);
        return authenticated;
      } catch (error) {
        if (error instanceof AppError) known.delete(fingerprint);
        throw error;
      }
    },
  };
}

/** Takes 48 bits of a hash. If two keys share them, which nobody can bring about, one merely costs its query. */
function fingerprintOf(sha256: Buffer): number {
  return sha256.readUIntBE(0, 6);
}
