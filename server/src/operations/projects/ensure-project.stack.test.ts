import { expect, it } from 'vitest';
import { generateApiKey } from '../../domain/api-key.ts';
import { allShards, shardOfId } from '../../domain/shard.ts';
import { authenticate } from '../keys/authenticate.ts';
import { revokeApiKey } from '../keys/revoke-api-key.ts';
import { operator, useWorld } from '../operations.fixture.ts';
import { ensureProject } from './ensure-project.ts';

const world = useWorld(1);

const ensure = (name: string, key: string) => ensureProject({ ...world, shards: allShards }, operator, { name, key });

it('a chosen key works in its mode, and repeating the command makes no second project and no second key', async () => {
  const key = generateApiKey(false, '00');
  const { projectId, isNew } = await ensure('first', key);
  expect(isNew).toBe(true);
  expect(await authenticate(world, key)).toMatchObject({ projectId, livemode: false });
  expect(await ensure('first', key)).toEqual({ projectId, isNew: false });
  const projects = await world.db.projects.list();
  expect(projects.filter(({ name }) => name === 'first')).toHaveLength(1);
});

it('a second chosen key goes to the project of the same name', async () => {
  const { projectId } = await ensure('shared', generateApiKey(true, '00'));
  expect(await ensure('shared', generateApiKey(true, '00'))).toEqual({ projectId, isNew: true });
});

it('a chosen key gives its new project its shard', async () => {
  const { projectId } = await ensure('routed', generateApiKey(true, 'k7'));
  expect(shardOfId(projectId)).toBe('k7');
});

it('a chosen key of another shard than its project, or of none, is refused with the reason', async () => {
  const { projectId } = await ensure('elsewhere', generateApiKey(true, 'k7'));
  const refusal = (shard: string, name = 'elsewhere') =>
    ensure(name, generateApiKey(true, shard)).catch(({ message }: Error) => message);
  expect(await refusal('k8')).toContain('Those of the project elsewhere are k7.');
  expect(await refusal('K7')).toContain('Those of the project elsewhere are k7.');
  expect(await refusal('Zz', 'nowhere')).toContain('without i, l, o and u');
  expect((await world.db.projects.list()).some(({ name }) => name === 'nowhere')).toBe(false);
  expect(await world.db.apiKeys.countValid({ projectId, livemode: true }, world.clock.now())).toBe(1);
});

it('a revoked key stays revoked', async () => {
  const key = generateApiKey(true, '00');
  await ensure('revoked', key);
  const { keyId } = await authenticate(world, key);
  await revokeApiKey(world, { keyId, actor: operator, withDescendants: false });
  expect(await ensure('revoked', key)).toMatchObject({ isNew: false });
  await expect(authenticate(world, key)).rejects.toMatchObject({ code: 'revoked_api_key' });
});

it('a key with a wrong checksum is refused, and no project is made', async () => {
  await expect(ensure('mistyped', `${generateApiKey(true, '00').slice(0, -1)}?`)).rejects.toMatchObject({
    code: 'invalid_parameter',
  });
  expect((await world.db.projects.list()).some(({ name }) => name === 'mistyped')).toBe(false);
});
