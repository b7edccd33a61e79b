import { expect, it } from 'vitest';
import { generateApiKey } from '../../domain/api-key.ts';
import { authenticate } from '../keys/authenticate.ts';
import { revokeApiKey } from '../keys/revoke-api-key.ts';
import { operator, useWorld } from '../operations.fixture.ts';
import { ensureProject } from './ensure-project.ts';

const world = useWorld(1);

const ensure = (name: string, key: string) => ensureProject(world, operator, { name, key });

it('a chosen key works in its mode, and repeating the command makes no second project and no second key', async () => {
  const key = generateApiKey(false);
  const { projectId, isNew } = await ensure('first', key);
  expect(isNew).toBe(true);
  expect(await authenticate(world, key)).toMatchObject({ projectId, livemode: false });
  expect(await ensure('first', key)).toEqual({ projectId, isNew: false });
  const projects = await world.db.projects.list();
  expect(projects.filter(({ name }) => name === 'first')).toHaveLength(1);
});

it('a second chosen key goes to the project of the same name', async () => {
  const { projectId } = await ensure('shared', generateApiKey(true));
  expect(await ensure('shared', generateApiKey(true))).toEqual({ projectId, isNew: true });
});

it('a revoked key stays revoked', async () => {
  const key = generateApiKey(true);
  await ensure('revoked', key);
  const { keyId } = await authenticate(world, key);
  await revokeApiKey(world, { keyId, actor: operator, withDescendants: false });
  expect(await ensure('revoked', key)).toMatchObject({ isNew: false });
  await expect(authenticate(world, key)).rejects.toMatchObject({ code: 'revoked_api_key' });
});

it('a key with a wrong checksum is refused, and no project is made', async () => {
  await expect(ensure('mistyped', `${generateApiKey(true).slice(0, -1)}?`)).rejects.toMatchObject({
    code: 'invalid_parameter',
  });
  expect((await world.db.projects.list()).some(({ name }) => name === 'mistyped')).toBe(false);
});
