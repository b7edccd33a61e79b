import { describe, expect, it } from 'vitest';
import type { ApiKey } from '../../db/access/api-key-table.ts';
import { type Caller, type Scope, scopes } from '../../domain/caller.ts';
import { inLanes, operator, useWorld } from '../operations.fixture.ts';
import { authenticate } from './authenticate.ts';
import { createApiKey } from './create-api-key.ts';
import { grantApiKey } from './grant-api-key.ts';
import { revokeAllApiKeys, revokeApiKey } from './revoke-api-key.ts';
import { rotateApiKey } from './rotate-api-key.ts';

const world = useWorld(4);

interface KeyOptions {
  projectId?: string;
  livemode?: boolean;
  scopes?: readonly Scope[];
  expiresAt?: Date;
}

/** Returns the caller of requests with a new key that an operator created. */
async function newCaller({ projectId, livemode = true, ...options }: KeyOptions = {}): Promise<Caller> {
  const project = projectId ?? (await world.newProject()).id;
  const { key } = await createApiKey(world, operator, {
    projectId: project,
    livemode,
    name: 'by the operator',
    ...options,
  });
  return authenticate(world, key);
}

const inSeconds = (seconds: number) => new Date(world.clock.now().getTime() + seconds * 1000);
const rotate = (caller: Caller | null, keyId: string, overlapSeconds = 60) =>
  rotateApiKey(world, { actor: caller ?? operator, keyId, overlapSeconds });
const grantAll = (caller: Caller) => grantApiKey(world, caller, { name: 'granted', scopes });
const isRevoked = async (keyId: string) => (await world.db.apiKeys.find(keyId))?.revokedAt !== null;

describe('a key that ends', () => {
  it('a key that ends grants keys that end no later, and by default at the same time', async () => {
    const caller = await newCaller({ expiresAt: inSeconds(60) });
    expect(await grantAll(caller)).toMatchObject({ expiresAt: caller.expiresAt });
    const sooner = await grantApiKey(world, caller, { name: 'sooner', expiresAt: inSeconds(30) });
    expect(sooner).toMatchObject({ expiresAt: inSeconds(30) });
    await expect(grantApiKey(world, caller, { name: 'later', expiresAt: inSeconds(61) })).rejects.toMatchObject({
      code: 'invalid_parameter',
      param: 'expires_at',
    });
  });

  it('a key cannot turn a key that outlives it into one of its own by a rotation', async () => {
    const caller = await newCaller({ expiresAt: inSeconds(60) });
    const endless = await newCaller({ projectId: caller.projectId });
    await expect(rotate(caller, endless.keyId)).rejects.toMatchObject({ code: 'invalid_parameter', param: 'key_id' });
    expect(await world.db.apiKeys.find(endless.keyId)).toMatchObject({ expiresAt: null });
    expect(await rotate(caller, caller.keyId)).toMatchObject({ expiresAt: caller.expiresAt });
  });

  it('a key under rotation overlap grants and rotates nothing beyond the overlap', async () => {
    const { key } = await createApiKey(world, operator, { ...(await newCaller()), name: 'leaked', scopes });
    const before = await authenticate(world, key);
    await rotate(null, before.keyId, 60);
    const caller = await authenticate(world, key);
    expect(await grantAll(caller)).toMatchObject({ expiresAt: inSeconds(60) });
    await expect(rotate(caller, caller.keyId)).rejects.toMatchObject({ code: 'invalid_parameter' });
  });
});

it('keys:manage and webhooks:manage are granted only if they are named', async () => {
  const caller = await newCaller();
  const made = await grantApiKey(world, caller, { name: 'by default' });
  expect(made.scopes).toEqual(['videos:read', 'videos:write', 'files:write', 'usage:read']);
  expect((await grantAll(caller)).scopes).toEqual(scopes);
  const manager = await newCaller({ projectId: caller.projectId, scopes: ['keys:manage'] });
  await expect(grantApiKey(world, manager, { name: 'nothing left' })).rejects.toMatchObject({
    code: 'missing_parameter',
    param: 'scopes',
  });
});

describe('revoking', () => {
  it('a key cannot revoke a key with scopes that it lacks, except itself', async () => {
    const strong = await newCaller();
    const manager = await newCaller({ projectId: strong.projectId, scopes: ['keys:manage', 'videos:read'] });
    const weak = await newCaller({ projectId: strong.projectId, scopes: ['videos:read'] });
    await expect(revokeApiKey(world, { keyId: strong.keyId, actor: manager })).rejects.toMatchObject({
      code: 'insufficient_scope',
      message: expect.stringContaining('videos:write'),
    });
    expect(await isRevoked(strong.keyId)).toBe(false);
    // A caller without keys:manage does not get this far; revoking oneself is possible whatever the scopes are.
    for (const [keyId, caller] of [
      [weak.keyId, manager],
      [manager.keyId, manager],
      [strong.keyId, strong],
    ] as const) {
      expect(await revokeApiKey(world, { keyId, actor: caller })).toEqual([keyId]);
    }
  });

  it('a key is revoked together with all keys that it created, directly or not, and with no others', async () => {
    const root = await newCaller();
    const leaked = await authenticate(world, (await grantAll(root)).key);
    const child = await authenticate(world, (await grantAll(leaked)).key);
    const grandchild = await grantAll(child);
    const rotated = await rotate(leaked, grandchild.id);
    const sibling = await grantAll(root);
    expect(rotated).toMatchObject({ createdByKeyId: leaked.keyId });
    const family = [leaked.keyId, child.keyId, grandchild.id, rotated.id];
    const revoked = await revokeApiKey(world, { keyId: leaked.keyId, actor: operator, withDescendants: true });
    expect(revoked.toSorted()).toEqual(family.toSorted());
    expect(await Promise.all([root.keyId, sibling.id].map(isRevoked))).toEqual([false, false]);
    await expect(grantAll(child)).rejects.toMatchObject({ code: 'revoked_api_key' });
  });

  it('no key escapes that is granted while its creator is revoked with all descendants, over 20 races', async () => {
    const root = await newCaller();
    for (let race = 0; race < 20; race += 1) {
      const leaked = await authenticate(world, (await grantAll(root)).key);
      const [granted] = await Promise.allSettled([
        grantAll(leaked),
        revokeApiKey(world, { keyId: leaked.keyId, actor: operator, withDescendants: true }),
      ]);
      const outcome = granted.status === 'rejected' ? granted.reason.code : await isRevoked(granted.value.id);
      expect(['revoked_api_key', true]).toContain(outcome);
    }
  });

  it('all keys of a project are revoked in both modes, and none of another project', async () => {
    const live = await newCaller();
    const test = await newCaller({ projectId: live.projectId, livemode: false });
    const foreign = await newCaller();
    const granted = await grantAll(live);
    const revoked = await revokeAllApiKeys(world, operator, live.projectId);
    expect(revoked.toSorted()).toEqual([live.keyId, test.keyId, granted.id].toSorted());
    expect(await isRevoked(foreign.keyId)).toBe(false);
    expect(await revokeAllApiKeys(world, operator, live.projectId)).toEqual([]);
  });
});

describe('the number of keys', () => {
  it('a project has at most 100 valid keys in each mode, however many creates arrive at once', async () => {
    const caller = await newCaller();
    const other = await newCaller({ projectId: caller.projectId, livemode: false });
    const made: PromiseSettledResult<Awaited<ReturnType<typeof grantAll>>>[] = [];
    // As many at once as there are connections: more would only wait for one, and not for long.
    await inLanes(4, 110, async () => {
      made.push(...(await Promise.allSettled([grantAll(caller)])));
    });
    const refused = made.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused).toHaveLength(11);
    for (const reason of refused) expect(reason).toMatchObject({ code: 'too_many_api_keys', status: 409 });
    await expect(rotate(caller, caller.keyId, 60)).rejects.toMatchObject({ code: 'too_many_api_keys' });
    await expect(newCaller({ projectId: caller.projectId })).rejects.toMatchObject({ code: 'too_many_api_keys' });
    expect(await grantAll(other)).toMatchObject({ livemode: false });

    // A key that no longer works makes room: one that was revoked, has expired or was rotated without an overlap.
    const [first, second] = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    await revokeApiKey(world, { keyId: first?.id ?? '', actor: caller });
    const expiring = await grantApiKey(world, caller, { name: 'expiring', expiresAt: inSeconds(1) });
    expect(await rotate(caller, second?.id ?? '', 0)).toMatchObject({ name: 'granted' });
    await expect(grantAll(caller)).rejects.toMatchObject({ code: 'too_many_api_keys' });
    await world.moveClock(1);
    expect(await grantAll(caller)).toMatchObject({ createdByKeyId: caller.keyId });
    expect(expiring.createdByKeyId).toBe(caller.keyId);
  });

  it('operators see every key, newest first and in both modes, with its creator', async () => {
    const caller = await newCaller();
    const ids = [caller.keyId];
    for (let index = 0; index < 4; index += 1) {
      await world.moveClock(1);
      ids.unshift((await grantAll(caller)).id);
    }
    await world.moveClock(1);
    ids.unshift((await newCaller({ projectId: caller.projectId, livemode: false })).keyId);
    const pages: ApiKey[][] = [];
    for await (const page of world.db.apiKeys.pagesOf(caller.projectId, 3)) pages.push(page);
    expect(pages.map((page) => page.length)).toEqual([3, 3]);
    expect(pages.flat().map(({ id }) => id)).toEqual(ids);
    const creators = pages.flat().map(({ createdByKeyId }) => createdByKeyId);
    expect(creators).toEqual([null, ...Array(4).fill(caller.keyId), null]);
  });
});
