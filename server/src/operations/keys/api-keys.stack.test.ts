import { describe, expect, it } from 'vitest';
import type { Project } from '../../db/access/project-table.ts';
import { type Caller, type Scope, scopes } from '../../domain/caller.ts';
import { operator, useWorld } from '../operations.fixture.ts';
import { authenticate } from './authenticate.ts';
import { createApiKey } from './create-api-key.ts';
import { grantApiKey } from './grant-api-key.ts';
import { listApiKeys } from './list-api-keys.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { rotateApiKey } from './rotate-api-key.ts';

const world = useWorld(4);

/** Returns the caller of requests with a new key of this project. */
async function newCaller(project: Project, livemode = true, granted: readonly Scope[] = scopes): Promise<Caller> {
  const { key } = await createApiKey(world, operator, {
    projectId: project.id,
    livemode,
    name: 'first',
    scopes: granted,
  });
  return authenticate(world, key);
}

const inSeconds = (seconds: number) => new Date(world.clock.now().getTime() + seconds * 1000);
const rotate = (caller: Caller | null, keyId: string, overlapSeconds: number) =>
  rotateApiKey(world, { actor: caller ?? operator, keyId, overlapSeconds });
const notFound = { code: 'not_found', status: 404 };

describe('a key that a caller creates', () => {
  it('a new key has the scopes, the project and the mode of the caller', async () => {
    const caller = await newCaller(await world.newProject(), false, ['videos:read', 'keys:manage']);
    const { key, ...made } = await grantApiKey(world, caller, { name: 'second', scopes: caller.scopes });
    expect(made).toMatchObject({ livemode: false, scopes: ['videos:read', 'keys:manage'], expiresAt: null });
    expect(await authenticate(world, key)).toMatchObject({ projectId: caller.projectId, livemode: false });
  });

  it('a caller cannot grant scopes that it lacks, and the error names them', async () => {
    const caller = await newCaller(await world.newProject(), true, ['videos:read', 'keys:manage']);
    const requested: Scope[] = ['videos:read', 'videos:write', 'webhooks:manage'];
    await expect(grantApiKey(world, caller, { name: 'more', scopes: requested })).rejects.toMatchObject({
      code: 'insufficient_scope',
      status: 403,
      message: expect.stringMatching(/videos:write, webhooks:manage\.$/),
    });
    const made = await grantApiKey(world, caller, { name: 'less', scopes: ['videos:read', 'videos:read'] });
    expect(made.scopes).toEqual(['videos:read']);
    expect((await listApiKeys(world, caller, { after: null, limit: 10, order: 'asc' })).keys).toHaveLength(2);
  });
});

describe('the list of keys', () => {
  it('the list pages through the keys of this project and mode in both orders, including revoked keys', async () => {
    const project = await world.newProject();
    const caller = await newCaller(project);
    await Promise.all([newCaller(project, false), newCaller(await world.newProject())]);
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) {
      await world.moveClock(1);
      const made = await grantApiKey(world, caller, { name });
      if (name === 'b') await revokeApiKey(world, { keyId: made.id, actor: caller });
    }
    const all = ['first', ...names];
    for (const order of ['asc', 'desc'] as const) {
      const seen: string[] = [];
      let after: string | null = null;
      for (;;) {
        const page: Awaited<ReturnType<typeof listApiKeys>> = await listApiKeys(world, caller, {
          after,
          limit: 2,
          order,
        });
        seen.push(...page.keys.map(({ name }) => name));
        after = page.keys.at(-1)?.id ?? null;
        if (!page.hasMore) break;
      }
      expect(seen).toEqual(order === 'asc' ? all : all.toReversed());
    }
  });

  it('the list refuses a cursor that is foreign, of the other mode, unknown or malformed with the same error', async () => {
    const project = await world.newProject();
    const caller = await newCaller(project);
    const foreign = await newCaller(await world.newProject());
    const other = await newCaller(project, false);
    for (const after of [foreign.keyId, other.keyId, 'key_00000000000000000000000000', 'nonsense']) {
      await expect(listApiKeys(world, caller, { after, limit: 2, order: 'asc' })).rejects.toMatchObject({
        code: 'invalid_parameter',
        param: 'after',
      });
    }
  });
});

describe('a rotation', () => {
  it('both keys work until the overlap ends, and only the new one after that', async () => {
    const caller = await newCaller(await world.newProject());
    const expiresAt = inSeconds(100_000);
    const old = await grantApiKey(world, caller, { name: 'farm', scopes: ['videos:read'], expiresAt });
    const made = await rotate(caller, old.id, 60);
    expect(made).toMatchObject({ name: 'farm', scopes: ['videos:read'], expiresAt, lastUsedAt: null });
    expect(made.id).not.toBe(old.id);
    await world.moveClock(59);
    expect(await authenticate(world, old.key)).toMatchObject({ keyId: old.id });
    expect(await authenticate(world, made.key)).toMatchObject({ keyId: made.id, scopes: ['videos:read'] });
    await world.moveClock(1);
    await expect(authenticate(world, old.key)).rejects.toMatchObject({ code: 'expired_api_key' });
    expect(await authenticate(world, made.key)).toMatchObject({ keyId: made.id });
  });

  it('a rotation never prolongs the old key, and repeating it does not shorten the life of the new one', async () => {
    const caller = await newCaller(await world.newProject());
    const ends = inSeconds(30);
    const old = await grantApiKey(world, caller, { name: 'short', expiresAt: ends });
    await rotate(caller, old.id, 3600);
    const expiryOf = async (id: string) => (await world.db.apiKeys.find(id))?.expiresAt;
    expect(await expiryOf(old.id)).toEqual(ends);

    // The response may have been lost on the way: a second rotation returns a key that is as good as the first.
    const endless = await grantApiKey(world, caller, { name: 'endless' });
    await rotate(caller, endless.id, 60);
    expect(await rotate(caller, endless.id, 3600)).toMatchObject({ expiresAt: null });
    expect(await expiryOf(endless.id)).toEqual(inSeconds(60));
  });

  it('a rotation without overlap ends the old key at once', async () => {
    const caller = await newCaller(await world.newProject());
    const old = await grantApiKey(world, caller, { name: 'leaked' });
    await rotate(caller, old.id, 0);
    await expect(authenticate(world, old.key)).rejects.toMatchObject({ code: 'expired_api_key' });
  });

  it('a rotation is refused for a key that can do more than the caller, and for one that no longer works', async () => {
    const project = await world.newProject();
    const [strong, weak] = [await newCaller(project), await newCaller(project, true, ['videos:read', 'keys:manage'])];
    await expect(rotate(weak, strong.keyId, 60)).rejects.toMatchObject({
      code: 'insufficient_scope',
      message: expect.stringContaining('videos:write'),
    });
    const [revoked, expired] = [
      await grantApiKey(world, strong, { name: 'revoked' }),
      await grantApiKey(world, strong, { name: 'expired', expiresAt: inSeconds(1) }),
    ];
    await revokeApiKey(world, { keyId: revoked.id, actor: strong });
    await world.moveClock(2);
    for (const { id } of [revoked, expired]) {
      await expect(rotate(strong, id, 60)).rejects.toMatchObject({ code: 'invalid_parameter', param: 'key_id' });
    }
    expect(await authenticate(world, (await rotate(null, strong.keyId, 60)).key)).toMatchObject({ scopes });
  });
});

it('neither rotation nor revocation reaches a key of another project or mode, and the errors are identical', async () => {
  const project = await world.newProject();
  const caller = await newCaller(project);
  const [foreign, other] = [await newCaller(await world.newProject()), await newCaller(project, false)];
  const ids = [foreign.keyId, other.keyId, 'key_00000000000000000000000000', 'key_1', caller.projectId];
  const refusals = await Promise.all(
    ids.flatMap((keyId) =>
      [rotate(caller, keyId, 60), revokeApiKey(world, { keyId, actor: caller })].map((work) =>
        work.then(
          () => null,
          (error: Error) => ({ ...error, message: error.message }),
        ),
      ),
    ),
  );
  for (const refusal of refusals) expect(refusal).toEqual(refusals[0]);
  expect(refusals[0]).toMatchObject(notFound);
});

it('a repeated revocation keeps the time of the first', async () => {
  const caller = await newCaller(await world.newProject());
  const { id, key } = await grantApiKey(world, caller, { name: 'leaked' });
  const revokedAt = world.clock.now();
  await revokeApiKey(world, { keyId: id, actor: caller });
  await world.moveClock(5);
  await revokeApiKey(world, { keyId: id, actor: caller });
  await expect(authenticate(world, key)).rejects.toMatchObject({ code: 'revoked_api_key' });
  expect(await world.db.apiKeys.find(id)).toMatchObject({ revokedAt });
});
