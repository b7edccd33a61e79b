import { describe, expect, it } from 'vitest';
import { generateApiKey } from '../../domain/api-key.ts';
import { operator, useWorld } from '../operations.fixture.ts';
import { authenticate } from './authenticate.ts';
import { createApiKey } from './create-api-key.ts';

const world = useWorld(3);

describe('authentication', () => {
  it('a key identifies its project, its mode and its scopes', async () => {
    const project = await world.newProject();
    const { id, key } = await createApiKey(world, operator, {
      projectId: project.id,
      livemode: false,
      name: 'a key',
      scopes: ['videos:read'],
    });
    expect(key).toMatch(/^kin_test_/);
    expect(await authenticate(world, key)).toEqual({
      keyId: id,
      projectId: project.id,
      livemode: false,
      scopes: ['videos:read'],
      expiresAt: null,
      isSuspended: false,
      limits: {
        createsPerMinute: project.createsPerMinute,
        createAllowedAt: new Date(0),
        readsPerMinute: project.readsPerMinute,
        runningLimit: project.runningLimit,
        running: 0,
        waitingLimit: project.waitingLimit,
        waiting: 0,
        storage: { limitBytes: project.storageLimitBytes, usedBytes: 0, filesLimit: project.filesLimit, files: 0 },
      },
    });
    await world.db.projects.set(project.id, { isSuspended: true }, world.clock.now());
    expect(await authenticate(world, key)).toMatchObject({ isSuspended: true });
  });

  it('a key is stored as a hash and by its last four characters, never as text', async () => {
    const project = await world.newProject();
    const { id, key } = await createApiKey(world, operator, { projectId: project.id, livemode: true, name: 'a key' });
    const rows = await world.db.kysely.selectFrom('api_keys').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(key.slice(9, -4));
    expect(await world.db.apiKeys.find(id)).toMatchObject({ prefix: 'kin_live_', lastFour: key.slice(-4) });
  });

  it('an unknown or mistyped key is refused', async () => {
    for (const key of [generateApiKey(true, '00'), 'kin_live_nonsense', '']) {
      await expect(authenticate(world, key)).rejects.toMatchObject({ code: 'invalid_api_key', status: 401 });
    }
  });

  it('a key is refused from the moment it is revoked, and a second revocation changes nothing', async () => {
    const project = await world.newProject();
    const { id, key } = await createApiKey(world, operator, { projectId: project.id, livemode: true, name: 'a key' });
    const revokedAt = world.clock.now();
    expect(await world.db.apiKeys.revoke({ ids: [id] }, revokedAt)).toMatchObject([{ id }]);
    await expect(authenticate(world, key)).rejects.toMatchObject({ code: 'revoked_api_key' });
    await world.moveClock(10);
    expect(await world.db.apiKeys.revoke({ ids: [id] }, world.clock.now())).toEqual([]);
    expect(await world.db.apiKeys.find(id)).toMatchObject({ revokedAt });
  });

  it('a key is refused from the moment it expires', async () => {
    const project = await world.newProject();
    const expiresAt = new Date(world.clock.now().getTime() + 60_000);
    const { key } = await createApiKey(world, operator, {
      projectId: project.id,
      livemode: true,
      name: 'a key',
      expiresAt,
    });
    await world.moveClock(59);
    expect(await authenticate(world, key)).toMatchObject({ projectId: project.id });
    await world.moveClock(1);
    await expect(authenticate(world, key)).rejects.toMatchObject({ code: 'expired_api_key' });
  });
});
