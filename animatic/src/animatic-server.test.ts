import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { createBox } from '@kinora/boxes/box';
import { encodeFrames } from '@kinora/boxes/encode-frames';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type AnimaticServer, createAnimaticServer } from './animatic-server.ts';
import { createLog } from './log.ts';

const job = {
  prompt: 'dunes',
  negativePrompt: null,
  seed: 1,
  width: 64,
  height: 64,
  fps: 8,
  frameCount: 8,
  image: null,
};
const longJob = { ...job, width: 1280, height: 720, frameCount: 1200 };
let scratchRoot: string;
let server: AnimaticServer;
let url: string;
/** Of the job that was started last. */
let framesEncoded = 0;

beforeEach(async () => {
  scratchRoot = temporaryFolder('animatic-server', onTestFinished);
  const log = createLog({ level: 'silent' });
  server = createAnimaticServer({
    box: await createBox({}),
    encodeFrames: (parts, options) => {
      const onProgress = (frameCount: number): void => {
        framesEncoded = frameCount;
        options.onProgress?.(frameCount);
      };
      return encodeFrames(parts, { ...options, onProgress });
    },
    log,
    scratchRoot,
    slots: 1,
    names: ['animatic.internal'],
  });
  url = await server.listen('127.0.0.1', 0);
});
afterEach(() => server.close());

async function request(method: string, path: string, body?: unknown): Promise<[number, unknown]> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  return [response.status, await response.json()];
}

test('a job is submitted, polled, downloaded and deleted, and its id cannot be used again', async () => {
  expect(await request('GET', '/jobs/a')).toEqual([404, { error: 'unknown_job' }]);
  expect(await request('PUT', '/jobs/a', job)).toEqual([201, { outcome: 'accepted' }]);
  expect(await request('PUT', '/jobs/a', job)).toEqual([200, { outcome: 'known' }]);
  await expect.poll(() => request('GET', '/jobs/a')).toEqual([200, { state: 'succeeded', progress: 100 }]);
  const output = await fetch(`${url}/jobs/a/output`);
  expect(output.headers.get('content-type')).toBe('video/mp4');
  expect((await output.bytes()).length).toBe(Number(output.headers.get('content-length')));
  expect(await request('DELETE', '/jobs/a')).toEqual([200, { outcome: 'stopped' }]);
  expect(await request('DELETE', '/jobs/a')).toEqual([200, { outcome: 'stopped' }]);
  expect(await request('GET', '/jobs/a/output')).toEqual([404, { error: 'unknown_job' }]);
  expect(await request('PUT', '/jobs/a', job)).toEqual([410, { error: 'removed' }]);
});

test('a second job is rejected while the only slot is taken, and the status page counts the jobs', async () => {
  await request('PUT', '/jobs/a', longJob);
  expect(await request('PUT', '/jobs/b', job)).toEqual([409, { error: 'busy' }]);
  expect(await request('GET', '/jobs/a/output')).toEqual([409, { error: 'not_done' }]);
  const [, status] = await request('GET', '/');
  expect(status).toMatchObject({ engine: 'animatic', slots: 1, running: 1, submits: 1 });
});

test('a job that cannot be rendered is rejected with a reason', async () => {
  expect(await request('PUT', '/jobs/a', { ...job, fps: '8' })).toEqual([
    400,
    { error: 'invalid', message: 'fps must be an integer in 1..60' },
  ]);
  expect(await request('PUT', '/jobs/a', [])).toMatchObject([400, { error: 'invalid' }]);
  expect(await request('PUT', `/jobs/${encodeURIComponent('../a')}`, job)).toMatchObject([400, { error: 'invalid' }]);
});

test('closing the server stops running jobs and leaves no files', async () => {
  await request('PUT', '/jobs/a', longJob);
  await expect.poll(() => request('GET', '/jobs/a')).not.toMatchObject([200, { progress: 0 }]);
  await server.close();
  expect(framesEncoded).toBeLessThan(longJob.frameCount); // so it did not wait for the job to finish
  expect(await readdir(scratchRoot)).toEqual([]);
});

test('a request for a name that is not the server’s own is refused, as a page that rebinds a name would send it', async () => {
  const send = async (host: string): Promise<number | undefined> => {
    const sent = get(`${url}/healthz`, { headers: { host } });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  expect(await send('rebound.example.com')).toBe(421);
  expect(await send('animatic.internal:8090')).toBe(200);
  expect(await send(new URL(url).host)).toBe(200);
});
