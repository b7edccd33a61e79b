import type { ApiKey } from '@kinora/sdk';

/** Returns whether a key still works. */
export function works({ revoked_at, expires_at }: ApiKey, nowSeconds: number): boolean {
  return revoked_at === null && (expires_at === null || expires_at > nowSeconds);
}

/** The choices of how long a key lives, in days. */
export const lifetimes = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: 'never', label: 'Until revoked' },
] as const;
export type Lifetime = (typeof lifetimes)[number]['value'];

/** Returns when a key made now expires, in unix seconds; undefined if it does not. */
export function expiryOf(lifetime: Lifetime, nowMilliseconds: number): number | undefined {
  return lifetime === 'never' ? undefined : Math.floor(nowMilliseconds / 1000) + Number(lifetime) * 86_400;
}
