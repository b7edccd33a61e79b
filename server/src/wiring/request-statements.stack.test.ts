import { randomUUID } from 'node:crypto';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { readConfig } from '../config/config.ts';
import type { Project, ProjectSettings } from '../db/access/project-table.ts';
import { generateApiKey } from '../domain/api-key.ts';
import { strayId } from '../domain/id.fixture.ts';
import { createApiKey } from '../operations/keys/create-api-key.ts';
import { revokeApiKey } from '../operations/keys/revoke-api-key.ts';
import { beginOrThrow, operator, useWorld, videoOf } from '../operations/operations.fixture.ts';
import { completeTask } from '../operations/tasks/complete-task.ts';
import { useTestStorage } from '../storage/storage.fixture.ts';
import type { Started } from './foundation.ts';
import { startRoles } from './start-roles.ts';

const world = useWorld();
const store = useTestStorage();
let api: Started;
let url: string;
const scratch = temporaryFolder('request-statements');
/** The statements that the API has sent, but not those by which it probes a connection. */
const statements: string[] = [];

beforeAll(async () => {
  const send = Reflect.get(pg.Client.prototype, 'query') as (...args: unknown[]) => undefined;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [query] = args as [string | { text?: string }];
    const text = typeof query === 'string' ? query : (query.text ?? '');
    const { application_name: name } = (this as unknown as { connectionParameters: { application_name?: string } })
      .connectionParameters;
    if (name !== 'kinora-test' && !text.includes('transaction_read_only')) statements.push(text.trim());
    return Reflect.apply(send, this, args);
  });
  const port = await findFreePorts(2);
  url = `http://127.0.0.1:${port}`;
  const config = readConfig({
    ...inject('stackEnvironment'),
    KINORA_ENV: 'development',
    KINORA_LOG_LEVEL: 'silent',
    KINORA_DATABASE_URL: world.url,
    KINORA_S3_BUCKET: store.bucket,
    KINORA_PUBLIC_URL: url,
    KINORA_PORT: String(port),
    KINORA_PRIVATE_PORT: String(port + 1),
    KINORA_DRAIN_SECONDS: '0',
    KINORA_SCRATCH_FOLDER: scratch,
  });
  api = await startRoles(config, ['api']);
});
afterAll(async () => {
  await api?.close();
  vi.restoreAllMocks();
});

const isTransactionStep = (text: string) => /^(begin|commit|rollback)$/i.test(text);

/** Returns the statements of a request. Others that the process sends meanwhile are not in the shortest of five lists. */
async function statementsOf(request: () => Promise<Response>, status = 200): Promise<string[]> {
  const lists: string[][] = [];
  for (let tries = 0; tries < 5; tries += 1) {
    statements.length = 0;
    const response = await request();
    lists.push([...statements]);
    expect(response.status).toBe(status);
    await response.text();
  }
  return lists.toSorted((one, other) => one.length - other.length)[0] ?? [];
}

async function newTenant(settings: ProjectSettings = {}, scopes?: Parameters<typeof createApiKey>[2]['scopes']) {
  const project = await world.newProject(settings);
  const key = (livemode: boolean) =>
    createApiKey(world, operator, { projectId: project.id, livemode, name: 'a key', ...(scopes ? { scopes } : {}) });
  return { project, live: await key(true), test: await key(false) };
}

async function newTask(project: Project, status: 'in_progress' | 'completed'): Promise<string> {
  const task = await world.accept(project, { request: { prompt: 'a secret garden' } });
  await beginOrThrow(world, task);
  if (status === 'completed') await completeTask({ ...world, storage: store.storage }, task.id, 1, videoOf(task.id));
  return task.id;
}

const read = (key: string, taskId: string) =>
  fetch(`${url}/v1/videos/${taskId}`, { headers: { authorization: `Bearer ${key}` } });

const create = (key: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/v1/videos/text-to-video`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ prompt: 'a hill', resolution: '480p', duration: 1 }),
  });

describe('the statements of a request', () => {
  it.each(['in_progress', 'completed'] as const)('a read of a task that is %s is one statement', async (status) => {
    const { project, live } = await newTenant();
    const taskId = await newTask(project, status);
    expect(await statementsOf(() => read(live.key, taskId))).toHaveLength(1);
    expect(await (await read(live.key, taskId)).json()).toMatchObject({ task_id: taskId, status });
  });

  it('a token is made without a statement beyond the lookup of the key, and reads a task in one', async () => {
    const { project, live } = await newTenant();
    const taskId = await newTask(project, 'completed');
    const make = () => fetch(`${url}/v1/tokens`, { method: 'POST', headers: { authorization: `Bearer ${live.key}` } });
    expect(await statementsOf(make)).toHaveLength(1);
    const { token } = (await (await make()).json()) as { token: string };
    expect(await statementsOf(() => read(token, taskId))).toHaveLength(1);
  });

  it.each([
    ['without room', 0],
    ['with room', 1_000],
  ])('a create %s is two statements and no transaction, and with a key three', async (_, runningLimit) => {
    const { live, project } = await newTenant({ runningLimit });
    const plain = await statementsOf(() => create(live.key));
    expect(plain.filter(isTransactionStep)).toEqual([]);
    expect(plain).toHaveLength(2);
    const withKey = await statementsOf(() => create(live.key, { 'idempotency-key': randomUUID() }));
    expect(withKey.filter((text) => !isTransactionStep(text))).toHaveLength(3);
    const running = runningLimit === 0 ? 0 : 10;
    expect(await world.slotsOf(project)).toMatchObject({ running, waiting: 10 - running });
    await world.expectCountersToBeRight();
  });
});

it('a create with room, while an older task waits for a pool that nobody serves, is three statements', async () => {
  const { live, project } = await newTenant({ runningLimit: 1_000 });
  await sql`insert into unserved_pools (pool, since, noted_at)
    values ('unserved', now() - interval '2 minutes', now() + interval '1 minute')`.execute(world.db.kysely);
  await world.accept(project, { request: { pool: 'unserved' } });
  const plain = await statementsOf(() => create(live.key));
  expect(plain.filter(isTransactionStep)).toEqual([]);
  expect(plain).toHaveLength(3);
  expect(await world.slotsOf(project)).toMatchObject({ running: 5, waiting: 1 });
});

describe('a key is judged before a task that was read with it', () => {
  /** Expects a refusal that tells nothing of the task. */
  async function expectRefusal(response: Response, status: number, code: string): Promise<void> {
    const text = await response.text();
    expect([response.status, (JSON.parse(text) as { error: { code: string } }).error.code]).toEqual([status, code]);
    expect(text).not.toContain('secret garden');
  }

  it('an unknown, a revoked and an expired key are refused', async () => {
    const { project, live } = await newTenant();
    const taskId = await newTask(project, 'completed');
    await expectRefusal(await read(generateApiKey(true, '00'), taskId), 401, 'invalid_api_key');
    await expectRefusal(await read('nonsense', taskId), 401, 'invalid_api_key');
    const expired = await createApiKey(world, operator, {
      projectId: project.id,
      livemode: true,
      name: 'expired',
      expiresAt: new Date(Date.now() - 1000),
    });
    await expectRefusal(await read(expired.key, taskId), 401, 'expired_api_key');
    expect((await read(live.key, taskId)).status).toBe(200);
    await revokeApiKey(world, { keyId: live.id, actor: operator });
    await expectRefusal(await read(live.key, taskId), 401, 'revoked_api_key');
  });

  it('a task of another project or of the other mode, an unknown id and a malformed one are not found', async () => {
    const { project, live, test } = await newTenant();
    const other = await newTenant();
    const taskId = await newTask(project, 'completed');
    expect((await read(live.key, taskId)).status).toBe(200);
    await expectRefusal(await read(other.live.key, taskId), 404, 'task_not_found');
    await expectRefusal(await read(test.key, taskId), 404, 'task_not_found');
    await expectRefusal(await read(live.key, strayId('task', new Date())), 404, 'task_not_found');
    await expectRefusal(await read(live.key, 'task_nonsense'), 404, 'task_not_found');
  });

  it('a key without the scope, a suspended project and a key over its limit are refused', async () => {
    const unscoped = await newTenant({}, ['videos:write']);
    const ofUnscoped = await newTask(unscoped.project, 'completed');
    await expectRefusal(await read(unscoped.live.key, ofUnscoped), 403, 'insufficient_scope');
    const suspended = await newTenant();
    const ofSuspended = await newTask(suspended.project, 'completed');
    await world.db.projects.set(suspended.project.id, { isSuspended: true }, new Date());
    await expectRefusal(await read(suspended.live.key, ofSuspended), 403, 'project_suspended');
    const limited = await newTenant({ readsPerMinute: 1 });
    const ofLimited = await newTask(limited.project, 'completed');
    expect((await read(limited.live.key, ofLimited)).status).toBe(200);
    await expectRefusal(await read(limited.live.key, ofLimited), 429, 'rate_limited');
  });
});
