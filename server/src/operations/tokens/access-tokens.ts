import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { scopes as allScopes, type Scope } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { shardOfId } from '../../domain/shard.ts';

/** What a token says. It grants nothing by itself: the key, and the session if there is one, are read at each request. */
export interface AccessToken {
  keyId: string;
  /** The session in the console that the token was made for; null for tokens that a key made. */
  sessionId: string | null;
  scopes: readonly Scope[];
  /** The only task that the token is for; null if it is for all tasks of the project and mode. */
  taskId: string | null;
  /** A whole second. */
  expiresAt: Date;
}

export interface AccessTokens {
  /** Returns the text of a token. Nothing is stored. The expiry is rounded down to a second. */
  issue(token: AccessToken): string;
  /** Returns what a token says, or null if the text is not a token that this installation signed. */
  verify(text: string): AccessToken | 'expired' | null;
}

const prefix = 'kin_token_';
/** Longer than any token that `issue` makes. Callers choose the length of what they send. */
const maximumCharacters = 1_024;

/** Returns whether a credential is meant to be a token; everything else is meant to be a key. */
export function isAccessToken(text: string): boolean {
  return text.startsWith(prefix);
}

/**
 * Creates and verifies short-lived tokens. Their keys are derived from the secret keys with a label of their own, so that
 * nothing else that is signed can be taken for a token. The first key signs and all verify.
 */
export function createAccessTokens({
  secretKeys,
  clock,
}: {
  secretKeys: readonly string[];
  clock: Clock;
}): AccessTokens {
  const keys = secretKeys.map((secret) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'kinora routed access tokens', 32))),
  );
  const [signingKey] = keys;
  if (!signingKey) throw new TypeError('there is no secret key to sign tokens with');

  return {
    issue({ keyId, sessionId, scopes, taskId, expiresAt }) {
      const payload = JSON.stringify([keyId, sessionId, scopes, taskId, Math.floor(expiresAt.getTime() / 1000)]);
      const signed = prefix + shardOfId(keyId) + Buffer.from(payload).toString('base64url');
      return `${signed}.${signatureOf(signingKey, signed).toString('base64url')}`;
    },

    verify(text) {
      const dot = text.lastIndexOf('.');
      if (!isAccessToken(text) || dot < 0 || text.length > maximumCharacters) return null;
      const signature = text.slice(dot + 1);
      const given = Buffer.from(signature, 'base64url');
      // Only the exact notation of `issue` is valid: base64 has several notations for the same bytes.
      if (given.length !== 32 || given.toString('base64url') !== signature) return null;
      const signed = text.slice(0, dot);
      if (!keys.map((key) => timingSafeEqual(signatureOf(key, signed), given)).includes(true)) return null;
      const token = readPayload(Buffer.from(signed.slice(prefix.length + 2), 'base64url').toString());
      return clock.now() < token.expiresAt ? token : 'expired';
    },
  };
}

function signatureOf(key: KeyObject, signed: string): Buffer {
  return createHmac('sha256', key).update(signed).digest();
}

/** Reads what `issue` wrote: the signature was verified before. A scope that this version does not know grants nothing. */
function readPayload(payload: string): AccessToken {
  const [keyId, sessionId, scopes, taskId, expires] = JSON.parse(payload) as [
    string,
    string | null,
    string[],
    string | null,
    number,
  ];
  return {
    keyId,
    sessionId,
    scopes: allScopes.filter((scope) => scopes.includes(scope)),
    taskId,
    expiresAt: new Date(expires * 1000),
  };
}
