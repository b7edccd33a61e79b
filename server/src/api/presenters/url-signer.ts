import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../domain/clock.ts';

export interface UrlSigner {
  /** An absolute URL that works without a header until it expires. */
  sign(path: string, variant: string, expiresAt: Date): string;
  /** Whether a URL was signed by us for exactly this and has not expired. */
  verify(path: string, query: { variant: string; expires: string; signature: string }): boolean;
}

interface Parts {
  /** Where callers reach the service; never taken from a request. */
  publicUrl: string;
  /** The first signs, all verify, so that a key can be replaced while URLs are out. */
  secretKeys: readonly string[];
  clock: Clock;
}

/** Signs and verifies URLs with keys that serve nothing else. */
export function createUrlSigner({ publicUrl, secretKeys, clock }: Parts): UrlSigner {
  const base = publicUrl.replace(/\/+$/, '');
  const keys = secretKeys.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'kinora signed urls', 32)));
  const [signingKey] = keys;
  if (!signingKey) throw new TypeError('there is no secret key to sign URLs with');

  return {
    sign(path, variant, expiresAt) {
      const expires = String(Math.floor(expiresAt.getTime() / 1000));
      const signature = signatureOf(signingKey, path, variant, expires).toString('base64url');
      return `${base}${path}?${new URLSearchParams({ variant, expires, signature }).toString()}`;
    },

    verify(path, { variant, expires, signature }) {
      const given = Buffer.from(signature, 'base64url');
      // Only the one spelling that sign writes: numbers have several for the same value, and base64 for the same bytes.
      const isWellFormed =
        /^[1-9]\d{0,11}$/.test(expires) && given.length === 32 && given.toString('base64url') === signature;
      if (!isWellFormed) return false;
      const isSigned = keys
        .map((key) => timingSafeEqual(signatureOf(key, path, variant, expires), given))
        .includes(true);
      return isSigned && clock.now().getTime() < Number(expires) * 1000;
    },
  };
}

function signatureOf(key: Buffer, path: string, variant: string, expires: string): Buffer {
  // As JSON, so that no part can reach into the next.
  return createHmac('sha256', key)
    .update(JSON.stringify([path, variant, expires]))
    .digest();
}
