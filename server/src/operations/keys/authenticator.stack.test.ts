import { describe, expect, it } from 'vitest';
import { generateApiKey } from '../../domain/api-key.ts';
import { operator, useWorld } from '../operations.fixture.ts';
import { createAuthenticator } from './authenticator.ts';
import { createApiKey } from './create-api-key.ts';

const world = useWorld(3);

const refusal = new Error('over the limit');
const refuse = () => {
  throw refusal;
};
const allow = () => undefined;

async function newKey() {
  const project = await world.newProject();
  return createApiKey(world, operator, { projectId: project.id, livemode: true, name: 'a key' });
}

/** Starts an authenticator that has loaded the keys, and counts how many keys it looks up. */
async function startAuthenticator() {
  let lookups = 0;
  const { db } = world;
  const findByHash: typeof db.apiKeys.findByHash = (...lookup) => {
    lookups += 1;
    return db.apiKeys.findByHash(...lookup);
  };
  const counting = { ...db, apiKeys: { ...db.apiKeys, findByHash } };
  const { authenticate } = createAuthenticator({ ...world, db: counting });
  await expect.poll(() => authenticate(generateApiKey(true, '00'), refuse).catch((error) => error)).toBe(refusal);
  lookups = 0;
  return { authenticate, lookups: () => lookups };
}

describe('keys that a process does not know', () => {
  it('a made-up key costs no query if the limit of its address refuses it, and a valid key is not subject to it', async () => {
    const { key } = await newKey();
    const { authenticate, lookups } = await startAuthenticator();
    for (let count = 0; count < 10; count += 1) {
      await expect(authenticate(generateApiKey(true, '00'), refuse)).rejects.toBe(refusal);
    }
    expect(lookups()).toBe(0);
    expect(await authenticate(key, refuse)).toMatchObject({ caller: { livemode: true } });
  });

  it('made-up keys from any number of addresses cost a bounded number of queries', async () => {
    const { key } = await newKey();
    const { authenticate, lookups } = await startAuthenticator();
    const codes = await Promise.all(
      Array.from({ length: 1_100 }, () => authenticate(generateApiKey(true, '00'), allow).catch(({ code }) => code)),
    );
    expect(lookups()).toBe(1_000);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(100);
    expect(await authenticate(key, allow)).toMatchObject({ caller: { livemode: true } });
  });

  it('a key that another process has just created is accepted at once', async () => {
    const { authenticate } = await startAuthenticator();
    const { key, id } = await newKey();
    expect(await authenticate(key, allow)).toMatchObject({ caller: { keyId: id } });
    expect(await authenticate(key, refuse)).toMatchObject({ caller: { keyId: id } });
  });

  it('a new key that a limit refused is known a second later', async () => {
    const { authenticate } = await startAuthenticator();
    const { key, id } = await newKey();
    await world.moveClock(1);
    await expect(authenticate(key, refuse)).rejects.toBe(refusal);
    await expect.poll(() => authenticate(key, refuse).catch((error) => error)).toMatchObject({ caller: { keyId: id } });
  });

  it('a key is refused from the request after its revocation, and from then on counts as unknown', async () => {
    const { key, id } = await newKey();
    const { authenticate } = await startAuthenticator();
    expect(await authenticate(key, refuse)).toMatchObject({ caller: { keyId: id } });
    await world.db.apiKeys.revoke({ ids: [id] }, world.clock.now());
    await expect(authenticate(key, refuse)).rejects.toMatchObject({ code: 'revoked_api_key' });
    await expect(authenticate(key, refuse)).rejects.toBe(refusal);
    await expect(authenticate(key, allow)).rejects.toMatchObject({ code: 'revoked_api_key' });
  });
});
