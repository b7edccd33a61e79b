import type { Installation } from '@kinora/stack/harness/installation';
import { pathFor, type Shape, shapes, type Things, unknownThings } from '@kinora/stack/harness/operation-requests';
import { send } from '@kinora/stack/harness/send-request';
import { waitFor } from '@kinora/stack/harness/wait-for';
import type { Client } from 'pg';

/** Everybody who asks, and what they ask for. */
export interface World {
  url: string;
  owner: string;
  /** Of the same project, in the other mode. */
  otherMode: string;
  otherProject: string;
  suspended: string;
  revoked: string;
  expired: string;
  unknown: string;
  /** All scopes but the one of the name. */
  without: ReadonlyMap<string, string>;
  things: Things;
  completedTask: string;
  /** Makes what a request that is to succeed uses up. */
  fresh(kind: NonNullable<Shape['usesUp']>): Promise<Partial<Things>>;
}

const scopes = ['videos:read', 'videos:write', 'files:write', 'usage:read', 'webhooks:manage', 'keys:manage'];
const unlimited = ['--creates', '100000', '--reads', '1000000', '--waiting', '100000'];

/** Makes projects, keys and one thing of every kind. Tasks wait, but for one that has completed. */
export async function makeWorld(installation: Installation, database: Client): Promise<World> {
  const { url, liveKey: owner, testKey: otherMode, projectId } = installation;
  const command = (...words: string[]): Promise<string> => installation.command(...words);
  const ask = async <Body>(
    key: string,
    name: string,
    things: Things = unknownThings,
    body?: unknown,
  ): Promise<Body> => {
    const [method = '', path = ''] = name.split(' ');
    const shape = { ...shapes[name], ...(body === undefined ? {} : { body }) };
    const answer = await send(url + pathFor(path, things, shape.query), method, `Bearer ${key}`, shape);
    if (answer.status !== 200) throw new Error(`${name} answered ${answer.status}: ${answer.body}`);
    return JSON.parse(answer.body) as Body; // as the contract says
  };
  const create = async (): Promise<string> =>
    (await ask<{ task_id: string }>(owner, 'POST /v1/videos/text-to-video')).task_id;
  const newKey = (body: object): Promise<{ id: string; key: string }> =>
    ask(owner, 'POST /v1/api-keys', unknownThings, { name: 'of the proof', ...body });
  const project = async (name: string): Promise<{ id: string; key: string }> => {
    const { id } = JSON.parse(await command('projects', 'create', name)) as { id: string };
    await command('projects', 'set', id, ...unlimited);
    return { id, key: (JSON.parse(await command('keys', 'create', id, '--mode', 'live')) as { key: string }).key };
  };

  await command('projects', 'set', projectId, ...unlimited);
  const completedTask = await create();
  const completed = { ...unknownThings, task_id: completedTask };
  await waitFor(async () => (await ask<{ is_final: boolean }>(owner, 'GET /v1/videos/{task_id}', completed)).is_final);
  await command('projects', 'set', projectId, '--running', '0');

  const [other, suspended, revoked, expired, ...withoutOne] = await Promise.all([
    project('another'),
    project('suspended'),
    newKey({}),
    newKey({}),
    ...scopes.map((scope) => newKey({ scopes: scopes.filter((one) => one !== scope) })),
  ]);
  await command('projects', 'set', suspended.id, '--suspend');
  await ask(owner, 'DELETE /v1/api-keys/{key_id}', { ...unknownThings, key_id: revoked.id });
  await database.query(
    `update api_keys set expires_at = now() - interval '1 second' where sha256 = sha256($1::bytea)`,
    [Buffer.from(expired.key)],
  );
  // A key that looks right in every way and was never issued.
  const unknown = (await newKey({})).key;
  await database.query('delete from api_keys where sha256 = sha256($1::bytea)', [Buffer.from(unknown)]);

  const fresh: World['fresh'] = async (kind) => {
    switch (kind) {
      case 'task':
        return { task_id: await create() };
      case 'file':
        return { file_id: (await ask<{ id: string }>(owner, 'POST /v1/files')).id };
      case 'endpoint':
        return { endpoint_id: (await ask<{ id: string }>(owner, 'POST /v1/webhook-endpoints')).id };
      case 'key':
        return { key_id: (await newKey({})).id };
    }
  };
  const made = Object.assign({}, ...(await Promise.all((['task', 'file', 'endpoint', 'key'] as const).map(fresh))));
  const things: Things = { ...unknownThings, ...made };
  await ask(owner, 'POST /v1/webhook-endpoints/{endpoint_id}/test', things);
  const { data } = await ask<{ data: { id: string }[] }>(owner, 'GET /v1/webhook-deliveries');
  things.delivery_id = data[0]?.id ?? '';
  return {
    url,
    owner,
    otherMode,
    otherProject: other.key,
    suspended: suspended.key,
    revoked: revoked.key,
    expired: expired.key,
    unknown,
    without: new Map(scopes.map((scope, index) => [scope, withoutOne[index]?.key ?? ''])),
    things,
    completedTask,
    fresh,
  };
}
