import { eventually } from '@kinora/stack/harness/eventually';
import { findStack } from '@kinora/stack/parts/stack';
import { partNames } from '@kinora/stack/parts/stack-state';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { call, clientFor, download, type ErrorBody, type Task } from './client.ts';
import { picture } from './media.ts';
import { ownProject } from './operator.ts';

const { url, testKey, stackName, animaticUrl } = inject('world');
const client = clientFor(testKey);
const stack = findStack(stackName);
if (!stack) throw new Error(`there is no stack ${stackName}`);

const prompt = 'A storm passes over the plain';
const small = { prompt, resolution: '480p', aspect_ratio: '1:1', duration: 1 };
const longer = { ...small, duration: 10 };

interface Readiness {
  status: string;
  checks: Record<string, string>;
}

const readiness = () => call<Readiness>(`${url}/readyz`);

async function untilHealthy(): Promise<void> {
  await eventually(
    'everything is ready',
    async () => {
      const { status, body } = await readiness();
      return status === 200 && Object.values(body.checks).every((verdict) => verdict === 'ok');
    },
    { timeoutMilliseconds: 60_000 },
  );
}

beforeAll(untilHealthy);
beforeEach(async () => {
  await eventually('the engine is idle', async () => (await engine()).running === 0, { timeoutMilliseconds: 60_000 });
});
// The walks after this one find everything as it was.
afterEach(async () => {
  for (const part of partNames) await stack.start(part);
  await untilHealthy();
});

async function engine(): Promise<{ running: number; submits: number }> {
  const response = await fetch(animaticUrl);
  return (await response.json()) as { running: number; submits: number };
}

/** A task that is being rendered right now. */
async function renderingTask(): Promise<Task> {
  const { task_id: id } = await client.create(longer);
  return eventually('the task renders', async () => {
    const task = await client.read(id);
    return task.status === 'in_progress' && task.progress > 0 && task;
  });
}

async function expectCompleted(task: Task): Promise<Task> {
  const { end } = await client.follow(task.task_id);
  expect(end).toMatchObject({ status: 'completed', error: null });
  expect((await download(end.video_url)).bytes.length).toBe(end.video?.size_bytes);
  return end;
}

/** How long a call took, with its answer. */
async function timed<T>(work: () => Promise<T>): Promise<{ milliseconds: number; answer: T }> {
  const since = performance.now();
  const answer = await work();
  return { answer, milliseconds: performance.now() - since };
}

const healthz = async () => (await call(`${url}/healthz`)).status;

describe('while Temporal is away', () => {
  test('tasks are accepted and read as always, and all of them complete once it is back', async () => {
    const running = await renderingTask();
    await stack.kill('temporal');
    const accepted: Task[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { answer, milliseconds } = await timed(() => client.create(small));
      expect(answer.status).toBe('queued');
      expect(milliseconds).toBeLessThan(2_000);
      accepted.push(answer);
    }
    for (const task of [running, ...accepted]) {
      const { answer, milliseconds } = await timed(() => client.read(task.task_id));
      expect(answer.is_final).toBe(false);
      expect(milliseconds).toBeLessThan(2_000);
    }
    expect(await readiness()).toMatchObject({
      status: 200,
      body: { status: 'ready', checks: { postgres: 'ok', temporal: 'degraded', storage: 'ok' } },
    });
    expect(await healthz()).toBe(200);
    await stack.start('temporal');
    // The engine went on rendering: nothing was rendered twice.
    expect(await expectCompleted(running)).toMatchObject({ attempt: 1 });
    for (const task of accepted) expect(await expectCompleted(task)).toMatchObject({ attempt: 1 });
  });
});

describe('while the store is away', () => {
  test('text to video is accepted and rendered, and completes once it is back', async () => {
    const before = await expectCompleted(await client.create(small));
    const { submits } = await engine();
    await stack.stop('s3');
    const task = await client.create(small);
    expect(await readiness()).toMatchObject({
      status: 200,
      body: { status: 'ready', checks: { storage: 'degraded' } },
    });
    expect(await healthz()).toBe(200);

    // An image cannot be kept, so the request is refused for now; nothing is half accepted.
    const image = await picture({ width: 480, height: 480 }, 'jpg');
    const image_url = `data:image/jpeg;base64,${image.toString('base64')}`;
    const refused = await client.post<ErrorBody>('/v1/videos/image-to-video', { ...small, image_url });
    expectOverloaded(refused);
    const file = await call<ErrorBody>(before.video_url ?? '');
    expectOverloaded(file);
    // The task itself can be read: only its bytes are away.
    expect((await client.read(before.task_id)).status).toBe('completed');

    await eventually('the engine has rendered it', async () => {
      const now = await engine();
      return now.submits > submits && now.running === 0;
    });
    expect((await client.read(task.task_id)).is_final).toBe(false);
    await stack.start('s3');
    expect(await expectCompleted(task)).toMatchObject({ attempt: 1 });
    expect((await engine()).submits).toBe(submits + 1);
  });

  test('a task whose image lies there waits for it, and uses up neither a slot nor an attempt', async () => {
    const project = await ownProject('image-outage', ['--running', '0']);
    const image = await picture({ width: 480, height: 480 }, 'jpg');
    const image_url = `data:image/jpeg;base64,${image.toString('base64')}`;
    const waiting = await project.client.create({ ...small, image_url });
    await stack.stop('s3');
    await project.set('--running', '1');
    const { submits } = await engine();
    const others = [await client.create(small), await client.create(small), await client.create(small)];
    await eventually('the engine has rendered the others', async () => {
      const now = await engine();
      return now.submits === submits + others.length && now.running === 0;
    });
    expect(await project.client.read(waiting.task_id)).toMatchObject({ status: 'queued', attempt: 1 });
    await stack.start('s3');
    const { end } = await project.client.follow(waiting.task_id);
    expect(end).toMatchObject({ status: 'completed', attempt: 1 });
    for (const task of others) expect(await expectCompleted(task)).toMatchObject({ attempt: 1 });
  });
});

describe('while Postgres is away', () => {
  test('requests get 503 in our words, and tasks in flight complete once it is back', async () => {
    const running = await renderingTask();
    const waiting = await client.create(small);
    await stack.stop('postgres');
    const [read, create] = await Promise.all([
      client.get<ErrorBody>(`/v1/videos/${running.task_id}`),
      client.post<ErrorBody>('/v1/videos/text-to-video', small),
    ]);
    expectOverloaded(read);
    expectOverloaded(create);
    expect(await healthz()).toBe(200);
    expect(await readiness()).toMatchObject({
      status: 503,
      body: { status: 'not_ready', checks: { postgres: 'failed' } },
    });
    await stack.start('postgres');
    await eventually(
      'reads work again',
      async () => (await client.get(`/v1/videos/${running.task_id}`)).status === 200,
    );
    const after = await client.create(small);
    expect(await expectCompleted(running)).toMatchObject({ attempt: 1 });
    await expectCompleted(waiting);
    await expectCompleted(after);
  });
});

function expectOverloaded({ status, headers, body }: Awaited<ReturnType<typeof call<ErrorBody>>>): void {
  expect({ status, ...body.error }).toMatchObject({
    status: 503,
    code: 'overloaded',
    type: 'api_error',
    retryable: true,
  });
  expect(headers.get('x-should-retry')).toBe('true');
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(body.request_id).toBe(headers.get('x-request-id'));
}
