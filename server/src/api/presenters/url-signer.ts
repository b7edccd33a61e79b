import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../domain/clock.ts';

export interface UrlSigner {
  /** Returns an absolute URL that works without a header until it expires. */
  sign(path: string, variant: string, expiresAt: Date): string;
  /** Returns whether a URL was signed for exactly this path and variant and has not expired. */
  verify(path: string, query: { variant: string; expires: string; signature: string }): boolean;
}

interface Parts {
  /** The URL at which callers reach the service; never taken from a request. */
  publicUrl: string;
  /** The first key signs and all verify, so that a key can be replaced while signed URLs are in use. */
  secretKeys: readonly string[];
  clock: Clock;
}

/** Creates a signer of URLs. It derives its keys from the secret keys, and nothing else uses them. */
export function createUrlSigner({ publicUrl, secretKeys, clock }: Parts): UrlSigner {
  const base = publicUrl.replace(/\/+$/, '');
  // Key objects, because Node takes six times as long to compute an HMAC with the bytes of a key.
  const keys = secretKeys.map((secret) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'kinora signed urls', 32))),
  );
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
      // Only the exact notation of `sign` is valid: numbers and base64 have several notations for the same value.
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

function signatureOf(key: KeyObject, path: string, variant: string, expires: string): Buffer {
  // JSON separates the parts unambiguously.
  return createHmac('sha256', key)
    .update(JSON.stringify([path, variant, expires]))
    .digest();
}
