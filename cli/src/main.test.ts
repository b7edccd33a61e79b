import { spawn } from 'node:child_process';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exitCodes } from './exit-codes.ts';
import { startService } from './loopback-service.fixture.ts';
import { temporaryFolder } from './temporary-folder.fixture.ts';

const main = join(import.meta.dirname, 'main.ts');

const folder = temporaryFolder();

/** Starts the command. By default its service does not exist. */
function start(args: readonly string[], stdout: 'pipe' | number = 'pipe', baseUrl = 'http://127.0.0.1:1') {
  return spawn(process.execPath, ['--conditions=kinora-source', main, ...args], {
    cwd: folder,
    env: { KINORA_BASE_URL: baseUrl, KINORA_API_KEY: 'kin_test_none' },
    stdio: ['ignore', stdout, 'pipe'],
  });
}

async function endOf(child: ReturnType<typeof start>) {
  const written = { stdout: '', stderr: '' };
  child.stdout?.on('data', (bytes: Buffer) => {
    written.stdout += String(bytes);
  });
  child.stderr?.on('data', (bytes: Buffer) => {
    written.stderr += String(bytes);
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, ...written };
}

test.each([
  [['generate', '--json'], "Missing required argument 'prompt'."],
  [['list', '--bogus', '--json'], "Unknown option '--bogus'."],
  [['--json', 'generte'], "Unknown command 'generte'. (Did you mean generate?)"],
  [['list', '--limit', '0', '--json'], '--limit must be a whole number from 1 to 999999, not "0".'],
])('with --json, a wrong command line is reported as one line of JSON: %s', async (args, message) => {
  const { code, stdout, stderr } = await endOf(start(args));
  expect({ code, stdout }).toEqual({ code: exitCodes.usage, stdout: '' });
  expect(
    stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { error: { message, code: 'invalid_usage', param: null, retryable: false, details: [] }, request_id: null },
  ]);
});

test('the exit code is the same if stderr is closed', async () => {
  const child = start(['list', '--bogus']);
  child.stderr?.destroy();
  expect(await endOf(child)).toMatchObject({ code: exitCodes.usage });
});

test.runIf(process.platform === 'linux')('a full disk behind stdout is reported in one line', async () => {
  const full = await open('/dev/full', 'w');
  try {
    const { code, stderr } = await endOf(start(['completion', 'bash'], full.fd));
    expect({ code, stderr }).toEqual({
      code: exitCodes.error,
      stderr: 'ENOSPC: no space left on device, write\n',
    });
  } finally {
    await full.close();
  }
});

test('if a task can no longer be followed, its id and the download command are printed', async () => {
  const task = { id: 'task_1', status: 'queued', stage: 'waiting', progress: 0, is_final: false, warnings: [] };
  const error = { code: 'api_key_revoked', message: 'The key is revoked.', details: [], retryable: false };
  const url = await startService((request, response) => {
    const [status, body] = request.method === 'POST' ? [200, task] : [401, { error }];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const { code, stderr } = await endOf(start(['generate', 'a boat'], 'pipe', url));
  expect(stderr).toContain('task_1 keeps running without this command.');
  expect(stderr).toContain('kinora download task_1');
  expect(stderr).toContain('The key is revoked.');
  expect(code).toBe(exitCodes.unauthorised);
  const forPrograms = await endOf(start(['--json', 'generate', 'a boat'], 'pipe', url));
  expect(JSON.parse(forPrograms.stderr)).toMatchObject({ error: { code: error.code }, task: { id: 'task_1' } });
});

test('Ctrl-C is reported to other programs as one line of JSON with the task that keeps running', async () => {
  const task = { id: 'task_1', status: 'queued', stage: 'waiting', progress: 0, is_final: false, warnings: [] };
  let isFollowed: () => void;
  const followed = new Promise<void>((resolve) => {
    isFollowed = resolve;
  });
  const url = await startService((request, response) => {
    if (request.method !== 'POST') return isFollowed();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(task));
  });
  const child = start(['--json', 'generate', 'a boat'], 'pipe', url);
  const ended = endOf(child);
  await followed;
  child.kill('SIGINT');
  const { code, stdout, stderr } = await ended;
  expect({ code, stdout }).toEqual({ code: exitCodes.interrupted, stdout: '' });
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'interrupted' },
    request_id: null,
    task: { id: 'task_1' },
  });
});

test('a batch reports a refused line to other programs with its code, parameter and request id', async () => {
  const error = { code: 'invalid_parameter', message: 'duration must be at most 10', param: 'duration', details: [] };
  const url = await startService((_request, response) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error, request_id: 'req_1' }));
  });
  await writeFile(join(folder, 'long.jsonl'), '{"prompt":"a boat","duration":11,"output":"boat.mp4"}');
  const { stdout, stderr } = await endOf(start(['--json', 'batch', 'long.jsonl'], 'pipe', url));
  const expected = { ...error, retryable: false };
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    line: 1,
    output: 'boat.mp4',
    outcome: 'failed',
    error: expected,
    request_id: 'req_1',
  });
});

test('a batch creates no task whose video could not be saved, and does not take a folder for a video', async () => {
  await mkdir(join(folder, 'videos', 'taken'), { recursive: true });
  const outputs = ['taken', `${'x'.repeat(300)}.mp4`];
  const jobs = outputs.map((output) => JSON.stringify({ prompt: 'a boat', output }));
  await writeFile(join(folder, 'jobs.jsonl'), jobs.join('\n'));
  const { code, stdout } = await endOf(start(['batch', 'jobs.jsonl', '-o', 'videos']));
  expect(stdout).toMatch(/^ +1 {2}failed +– {2}videos\/taken is a folder\. Name a file in it\.$/m);
  expect(stdout).toMatch(/^ +2 {2}failed +– {2}videos\/x+\.mp4 cannot be written: ENAMETOOLONG/m);
  expect(code).toBe(exitCodes.failed);
  expect(await endOf(start(['batch', 'jobs.jsonl', '-o', 'jobs.jsonl']))).toMatchObject({
    code: exitCodes.usage,
    stderr: expect.stringMatching(/^The folder jobs\.jsonl cannot be created: EEXIST/),
  });
});
