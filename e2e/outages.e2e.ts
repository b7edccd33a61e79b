import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, download, type ErrorBody, type Task } from '@kinora/stack/harness/api-client';
import { eventually } from '@kinora/stack/harness/eventually';
import { type LogLine, readLogLines } from '@kinora/stack/harness/log-lines';
import { neverRunning } from '@kinora/stack/harness/project-limits';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { untilRendering } from '@kinora/stack/harness/task-waits';
import { findStack } from '@kinora/stack/parts/stack';
import { partNames } from '@kinora/stack/parts/stack-state';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { engineStatus, untilEngineIdle } from './engine-status.ts';
import { clientFor, ownProject } from './own-project.ts';
import { picture } from './sample-pictures.ts';

const { url, testKey, stackName, apiMetricsUrl, relayMetricsUrl } = inject('world');
const client = clientFor(testKey);
const stack = findStack(stackName);
if (!stack) throw new Error(`there is no stack ${stackName}`);

const prompt = 'A storm passes over the plain';
const small = { prompt, ...smallestVideo };
/** Renders long enough for a test to stop a part of the stack during the rendering. */
const longer = { ...small, prompt: `${prompt} [[delay:10]]` };

interface Readiness {
  status: string;
  checks: Record<string, string>;
}

// Only the private port shows which parts fail.
const readiness = () => call<Readiness>(new URL('/readyz', apiMetricsUrl).href);
/** Waits until `/readyz` shows these checks: it keeps a response for a second. */
async function readinessOf(status: number, body: Readiness): Promise<void> {
  await expect.poll(readiness, { interval: 200 }).toMatchObject({ status, body });
}

async function untilHealthy(): Promise<void> {
  await eventually('everything is ready', async () => {
    const { status, body } = await readiness();
    return status === 200 && Object.values(body.checks).every((verdict) => verdict === 'ok');
  });
}

beforeAll(untilHealthy);
beforeEach(() => untilEngineIdle());
// Every part runs again for the next test.
afterEach(async () => {
  for (const part of partNames) await stack.start(part);
  await untilHealthy();
});

/** Creates a task and waits until the engine renders it. */
const renderingTask = async (): Promise<Task> => untilRendering(client, (await client.create(longer)).task_id);

async function expectCompleted(task: Task): Promise<Task> {
  const { end } = await client.follow(task.task_id);
  expect(end).toMatchObject({ status: 'completed', error: null });
  expect((await download(end.video_url)).bytes.length).toBe(end.video?.size_bytes);
  return end;
}

const logged = (role: string): string => readFileSync(join(stack.info.folder, `${role}.log`), 'utf8');

/** Returns a function that returns the lines about errors that each role has written since now. */
function watchLogs() {
  const roles = ['api', 'relay', 'worker'];
  const lengths = new Map(roles.map((role) => [role, logged(role).length]));
  return () =>
    roles.map((role) => ({
      role,
      lines: readLogLines(logged(role).slice(lengths.get(role))).filter(({ err }) => err !== undefined),
    }));
}

/** A role has about ten kinds of errors in an outage. */
const mostKinds = 30;
const mostStacks = 2;

/** Lines of the same kind repeat each other: they differ in nothing but numbers. */
const kindOf = ({ pid, level, event, msg, err }: LogLine): string =>
  `${pid} ${JSON.stringify([level, event, msg, err]).replaceAll(/\d+/g, '#')}`;

/** Returns how often something may be logged during these lines, by their own times, if it is once per 30 s. */
function mostRepeats(lines: LogLine[]): number {
  const times = lines.map(({ time }) => Date.parse(time));
  return 1 + Math.ceil(Math.max(0, Math.max(...times) - Math.min(...times)) / 30_000);
}

/** Expects each kind of error at most once per 30 s, hardly any stack, and no line above the level of warnings. */
function expectQuiet(logs: ReturnType<ReturnType<typeof watchLogs>>): void {
  for (const { role, lines } of logs) {
    const [known = [], stacks = []] = [false, true].map((hasStack) =>
      lines.filter(({ err }) => (err?.stack !== undefined) === hasStack),
    );
    const kinds = Map.groupBy(known, kindOf);
    const loud = [...kinds].filter(([, alike]) => alike.length > mostRepeats(alike));
    const alarms = lines.filter(({ level }) => level >= 50);
    expect({ role, loud, alarms }).toEqual({ role, loud: [], alarms: [] });
    expect(stacks.length, `stacks of the ${role}`).toBeLessThanOrEqual(mostStacks * mostRepeats(stacks));
    expect(kinds.size, `kinds of errors of the ${role}`).toBeLessThanOrEqual(mostKinds);
  }
}

async function outboxAgeSeconds(): Promise<number> {
  const text = await (await fetch(relayMetricsUrl)).text();
  return Number(/^kinora_outbox_oldest_age_seconds(?:\{.*\})? (\S+)/m.exec(text)?.[1] ?? 0);
}

const healthz = async () => (await call(`${url}/healthz`)).status;

describe('while Temporal is down', () => {
  test('tasks can be created and read as usual, and all of them complete once it is back', async () => {
    const running = await renderingTask();
    const errorLines = watchLogs();
    await stack.kill('temporal');
    // No request waits for Temporal: it starts again only after all of them have got their responses.
    const accepted: Task[] = [];
    for (let count = 0; count < 3; count += 1) accepted.push(await client.create(small));
    expect(accepted.map(({ status }) => status)).toEqual(['queued', 'queued', 'queued']);
    for (const task of [running, ...accepted]) expect((await client.read(task.task_id)).is_final).toBe(false);
    await readinessOf(200, { status: 'ready', checks: { postgres: 'ok', temporal: 'degraded', storage: 'ok' } });
    expect(await healthz()).toBe(200);
    // By then the relay has retried several times; `expectQuiet` below fails if it logged every retry.
    await eventually('a start is overdue', async () => (await outboxAgeSeconds()) > 10);
    await stack.start('temporal');
    // The engine kept rendering during the outage: nothing is rendered twice.
    expect(await expectCompleted(running)).toMatchObject({ attempt: 1 });
    for (const task of accepted) expect(await expectCompleted(task)).toMatchObject({ attempt: 1 });
    expectQuiet(errorLines());
  });
});

describe('while the object store is down', () => {
  test('text-to-video tasks are accepted and rendered, and complete once it is back', async () => {
    const before = await expectCompleted(await client.create(small));
    const { submits } = await engineStatus();
    await stack.stop('s3');
    const task = await client.create(small);
    await readinessOf(200, { status: 'ready', checks: { storage: 'degraded' } });
    expect(await healthz()).toBe(200);

    // The image cannot be stored, so the request is refused for now; no task is created.
    const image = await picture({ width: 480, height: 480 }, 'jpg');
    const image_url = `data:image/jpeg;base64,${image.toString('base64')}`;
    const refused = await client.post<ErrorBody>('/v1/videos/image-to-video', { ...small, image_url });
    expectOverloaded(refused);
    const file = await call<ErrorBody>(before.video_url ?? '');
    expectOverloaded(file);
    // The task itself can still be read: only its files are unreachable.
    expect((await client.read(before.task_id)).status).toBe('completed');

    await eventually('the engine has rendered the task', async () => {
      const now = await engineStatus();
      return now.submits > submits && now.running === 0;
    });
    expect((await client.read(task.task_id)).is_final).toBe(false);
    await stack.start('s3');
    expect(await expectCompleted(task)).toMatchObject({ attempt: 1 });
    expect((await engineStatus()).submits).toBe(submits + 1);
  });

  test('a task whose image is in the store waits for it, without using a slot or an attempt', async () => {
    const project = await ownProject('image-outage', neverRunning);
    const image = await picture({ width: 480, height: 480 }, 'jpg');
    const image_url = `data:image/jpeg;base64,${image.toString('base64')}`;
    const waiting = await project.client.create({ ...small, image_url });
    await stack.stop('s3');
    await project.set('--running', '1');
    const { submits } = await engineStatus();
    const others = [await client.create(small), await client.create(small), await client.create(small)];
    await eventually('the engine has rendered the others', async () => {
      const now = await engineStatus();
      return now.submits === submits + others.length && now.running === 0;
    });
    expect(await project.client.read(waiting.task_id)).toMatchObject({ status: 'queued', attempt: 1 });
    await stack.start('s3');
    const { end } = await project.client.follow(waiting.task_id);
    expect(end).toMatchObject({ status: 'completed', attempt: 1 });
    for (const task of others) expect(await expectCompleted(task)).toMatchObject({ attempt: 1 });
  });
});

describe('while Postgres is down', () => {
  test('requests get 503 with a documented error body, and tasks in flight complete once it is back', async () => {
    const running = await renderingTask();
    const waiting = await client.create(small);
    const errorLines = watchLogs();
    await stack.stop('postgres');
    const [read, create] = await Promise.all([
      client.get<ErrorBody>(`/v1/videos/${running.task_id}`),
      client.post<ErrorBody>('/v1/videos/text-to-video', small),
    ]);
    expectOverloaded(read);
    expectOverloaded(create);
    // If the server treated an outage as unexpected, each of these requests would log a stack trace.
    for (let count = 0; count < 50; count += 1) expectOverloaded(await client.get(`/v1/videos/${running.task_id}`));
    expect(await healthz()).toBe(200);
    await readinessOf(503, { status: 'not_ready', checks: { postgres: 'failed' } });
    await stack.start('postgres');
    await eventually(
      'reads work again',
      async () => (await client.get(`/v1/videos/${running.task_id}`)).status === 200,
    );
    const after = await client.create(small);
    expect(await expectCompleted(running)).toMatchObject({ attempt: 1 });
    await expectCompleted(waiting);
    await expectCompleted(after);
    expectQuiet(errorLines());
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
