import { beforeAll, describe, expect, test } from 'vitest';
import { startEmptyPostgres } from '../../db/connection/empty-postgres.fixture.ts';
import { unusedLimits } from '../../domain/caller.fixture.ts';
import { scopes } from '../../domain/caller.ts';
import { clockAt } from '../../domain/clock.fixture.ts';
import { strayId } from '../../domain/id.fixture.ts';
import { newProjectId } from '../../domain/id.ts';
import type { IssuedApiKey } from './create-api-key.ts';
import { grantApiKey } from './grant-api-key.ts';

const clock = clockAt(() => new Date('2026-11-15T12:00:00Z'));
const endsAt = new Date('2026-11-15T12:01:00Z');
const caller = {
  keyId: strayId('key', clock.now()),
  projectId: newProjectId(clock.now()),
  livemode: true,
  scopes,
  isSuspended: false,
  limits: unusedLimits,
  expiresAt: endsAt,
};

describe('a key that ends in a minute', () => {
  let granted: IssuedApiKey;
  beforeAll(async () => {
    await using postgres = await startEmptyPostgres();
    granted = await grantApiKey({ db: postgres.connect(), clock }, caller, { name: 'persist' });
  });

  test('a key grants its own scopes by default, except the right to manage keys and webhooks', () => {
    expect(granted.scopes).toEqual(['videos:read', 'videos:write', 'files:write', 'usage:read']);
  });

  test('a key that ends in a minute grants no key that ends later', () => {
    expect(granted.expiresAt).toEqual(endsAt);
  });
});
