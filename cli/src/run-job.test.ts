import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AuthenticationError, Kinora } from '@kinora/sdk';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { startService } from './loopback-service.fixture.ts';
import type { Job } from './read-jobs.ts';
import { runJob } from './run-job.ts';
import { temporaryFolder } from './temporary-folder.fixture.ts';
import { watchedFetch } from './watched-fetch.ts';

/** The response to a create. */
interface Reply {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
}

const job: Job = { line: 1, fields: { prompt: 'a boat' }, output: 'boat.mp4', idempotencyKey: 'batch-1' };
const lost = { code: 'engine_lost', message: 'The engine is gone.', retryable: true, stage: 'rendering' };
const ended = (status: string) => ({
  id: `task_${status}`,
  status,
  is_final: true,
  warnings: [],
  error: status === 'failed' ? lost : null,
});
const completed: Reply = { status: 200, body: ended('completed') };
const replayed = (status: string): Reply => ({
  status: 200,
  headers: { 'idempotent-replayed': 'true' },
  body: ended(status),
});
const refused = (status: number, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: { error: { message: `refused with ${status}`, code: 'refused', details: [] } },
});

/** When the batch of these jobs began. */
const startedAt = '2026-01-01T12:00:00Z';

let folder: string;
let baseUrl: string;
let isBroken = false;
let replies: Reply[] = [];
let keys: unknown[] = [];
beforeEach(async () => {
  folder = temporaryFolder(onTestFinished);
  keys = [];
  isBroken = false;
  baseUrl = await startService((request, response) => {
    if (request.method === 'GET' && isBroken) return void response.writeHead(200, { 'content-length': 100 }).end('the');
    if (request.method === 'GET') return void response.end('the bytes');
    keys.push(request.headers['idempotency-key']);
    const { status, headers = {}, body } = replies.shift() ?? refused(500);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
});

async function run(...script: Reply[]) {
  replies = script;
  const seen = new Set<string>();
  const warnings: string[] = [];
  const fetch = watchedFetch({ onTrouble: () => undefined, onReplay: (key) => seen.add(key) });
  const ending = await runJob(job, {
    kinora: new Kinora({ apiKey: 'kin_test_', baseUrl, fetch, maxRetries: 0 }),
    path: join(folder, job.output),
    signal: new AbortController().signal,
    replayed: seen,
    report: { progress: () => undefined, warn: (_job, message) => warnings.push(message) },
    startedAt: new Date(startedAt),
  });
  return { ...ending, warnings };
}

test('a job that hits a limit waits and retries with the same idempotency key', async () => {
  const { outcome, warnings } = await run(
    refused(429, { 'retry-after': '0' }),
    refused(429, { 'retry-after': '1' }),
    completed,
  );
  expect(outcome).toBe('completed');
  expect(keys).toEqual(['batch-1', 'batch-1', 'batch-1']);
  expect(warnings).toEqual(['refused with 429', 'refused with 429']);
  expect(await readFile(join(folder, 'boat.mp4'), 'utf8')).toBe('the bytes');
});

test('a video that an earlier run completed is downloaded', async () => {
  expect(await run(replayed('completed'))).toMatchObject({ outcome: 'completed', task: { id: 'task_completed' } });
  expect(keys).toEqual(['batch-1']);
});

test.each([
  ['failed', replayed('failed')],
  ['cancelled', replayed('cancelled')],
  ['deleted', refused(410)],
  ['with another picture', refused(422)],
])('a task that an earlier run left %s is replaced under the next free key', async (_, before) => {
  expect(await run(before, before, completed)).toMatchObject({ outcome: 'completed' });
  expect(keys).toEqual(['batch-1', 'batch-1-2', 'batch-1-3']);
});

test('a task that fails in this run is not retried', async () => {
  expect(await run({ status: 200, body: ended('failed') })).toMatchObject({
    outcome: 'failed',
    task: { id: 'task_failed' },
  });
  expect(await run(refused(400))).toMatchObject({
    outcome: 'failed',
    error: { message: 'refused with 400', code: 'refused' },
  });
  expect(keys).toEqual(['batch-1', 'batch-1']);
});

test('an error that affects every job is thrown', async () => {
  await expect(run(refused(401))).rejects.toBeInstanceOf(AuthenticationError);
});

test('a video whose download breaks off every time fails alone, and leaves no file', async () => {
  isBroken = true;
  expect(await run(completed)).toMatchObject({ outcome: 'failed', task: { id: 'task_completed' } });
  expect(await readdir(folder)).toEqual([]);
});

test('a job removes what a killed run left of its download, and no file of another program', async () => {
  const left = {
    'boat.mp4.1x2y3z.part': '11:59:59',
    'boat.mp4.4a5b6c.part': '12:00:01',
    'oar.mp4.7d8e9f.part': '11:00:00',
  };
  for (const [name, time] of Object.entries(left)) {
    const writtenAt = new Date(`2026-01-01T${time}Z`);
    await writeFile(join(folder, name), 'half');
    await utimes(join(folder, name), writtenAt, writtenAt);
  }
  expect(await run(replayed('completed'))).toMatchObject({ outcome: 'completed' });
  expect((await readdir(folder)).toSorted()).toEqual(['boat.mp4', 'boat.mp4.4a5b6c.part', 'oar.mp4.7d8e9f.part']);
});
