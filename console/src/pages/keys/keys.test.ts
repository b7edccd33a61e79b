import type { ApiKey } from '@kinora/sdk';
import { expect, test } from 'vitest';
import { firstRequest } from './first-request.ts';
import { expiryOf, works } from './key-state.ts';
import { defaultScopes, isDangerous, scopeInfos } from './scopes.ts';

test('a new key has nothing dangerous unless somebody ticks it', () => {
  expect(defaultScopes.filter(isDangerous)).toEqual([]);
  expect(scopeInfos.filter(({ scope }) => isDangerous(scope)).map(({ scope }) => scope)).toEqual([
    'webhooks:manage',
    'keys:manage',
    'audit:read',
  ]);
});

test('the first request uses a scope that the key has', () => {
  const line = firstRequest('https://api.example.com', 'kin_test_x', ['videos:read', 'usage:read']);
  expect(line).toBe("curl 'https://api.example.com/v1/videos?limit=1' \\\n  -H 'Authorization: Bearer kin_test_x'");
  expect(firstRequest('https://api.example.com', 'k', ['videos:write'])).toContain('/v1/videos/text-to-video');
  expect(firstRequest('https://api.example.com', 'k', ['files:write'])).toContain('/v1/files');
});

test('a key works until it expires or is revoked', () => {
  const key = { revoked_at: null, expires_at: null } as ApiKey;
  expect(works(key, 100)).toBe(true);
  expect(works({ ...key, expires_at: 100 }, 100)).toBe(false);
  expect(works({ ...key, revoked_at: 50 }, 100)).toBe(false);
  expect(expiryOf('7', 5_500)).toBe(5 + 7 * 86_400);
  expect(expiryOf('never', 5_500)).toBeUndefined();
});
