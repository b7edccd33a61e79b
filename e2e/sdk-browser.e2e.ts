import { request as sendRequest } from 'node:http';
import type * as Sdk from '@kinora/sdk';
import { Kinora } from '@kinora/sdk';
import { call, type ErrorBody } from '@kinora/stack/harness/api-client';
import { type LoopbackServer, startLoopbackServer } from '@kinora/stack/harness/loopback-server';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { openBrowser, openPage } from './open-browser.ts';
import { picture } from './sample-pictures.ts';

// The page is of another origin and has the SDK as globals, because what Playwright evaluates cannot import.

const { url, testKey } = inject('world');
const token = 'short-lived';

let backend: LoopbackServer;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  backend = await startBackend();
  browser = await openBrowser();
});
beforeEach(async () => {
  page = await openPage(browser);
  await page.goto(backend.url);
});
afterAll(async () => {
  await browser.close();
  await backend.close();
});

/** Starts a backend that serves the page, and forwards requests with the token to the service, with the key instead. */
async function startBackend(): Promise<LoopbackServer> {
  const contents = "import * as sdk from '@kinora/sdk'; Object.assign(globalThis, sdk);";
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['kinora-source'],
    write: false,
  });
  const html = '<!doctype html><video muted></video><script type="module" src="/sdk.js"></script>';
  return startLoopbackServer((request, response) => {
    if (request.url === '/') return void response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    if (request.url === '/sdk.js') {
      return void response.writeHead(200, { 'content-type': 'text/javascript' }).end(outputFiles[0]?.text);
    }
    if (request.headers.authorization !== `Bearer ${token}`) return void response.writeHead(401).end();
    const { method = 'GET' } = request;
    const headers = { ...request.headers, authorization: `Bearer ${testKey}` };
    const forwarded = sendRequest(new URL(request.url ?? '', url), { method, headers }, (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, upstream.headers);
      upstream.pipe(response);
    });
    // If the page closes a connection, the connection to the service is closed too.
    response.on('close', () => forwarded.destroy());
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
}

test('the SDK refuses an API key in a page, and its message says what to do instead', async () => {
  const making = page.evaluate((baseUrl) => {
    const { Kinora } = globalThis as unknown as typeof Sdk;
    return typeof new Kinora({ baseUrl, apiKey: 'kin_test_x' });
  }, url);
  await expect(making).rejects.toThrow(
    /KinoraError: Everyone who opens a page can read the key in it\. .* `events_url`/,
  );
});

test('a page with a token of its backend uploads a picture, follows the task and downloads the video', async () => {
  const image = [...(await picture({ width: 400, height: 300 }, 'jpg'))];
  const seen = await page.evaluate(
    async ({ baseUrl, token, image, smallestVideo }) => {
      const { Kinora } = globalThis as unknown as typeof Sdk;
      const kinora = new Kinora({ baseUrl, token: async () => token });
      const stages = new Set<string>();
      const task = await kinora.videos.run(
        { prompt: 'zoom in [[delay:2]]', ...smallestVideo, image: new File([Uint8Array.from(image)], 'photo.jpg') },
        { onProgress: ({ stage }) => stages.add(stage) },
      );
      const video = await (await kinora.videos.download(task.id)).blob();
      return { status: task.status, stages: [...stages], kind: video.type, sizeBytes: video.size };
    },
    { baseUrl: backend.url, token, image, smallestVideo },
  );
  expect(seen).toMatchObject({ status: 'completed', kind: 'video/mp4' });
  expect(seen.stages).toEqual(expect.arrayContaining(['waiting', 'rendering']));
  expect(seen.sizeBytes).toBeGreaterThan(10_000);
});

test('saving in a page throws an error that says what to do instead', async () => {
  const error = await page.evaluate(
    async ({ baseUrl, token }) => {
      const { Kinora, KinoraError } = globalThis as unknown as typeof Sdk;
      const saving = new Kinora({ baseUrl, token }).videos.save('task_1', 'boat.mp4');
      return saving.catch((error) => (error instanceof KinoraError ? error.message : String(error)));
    },
    { baseUrl: backend.url, token },
  );
  expect(error).toBe('There is no file system here. Use videos.download and read its response.');
});

test('an abort in a page cancels the task', async () => {
  const task = await page.evaluate(
    async ({ baseUrl, token, smallestVideo }) => {
      const { Kinora, TaskCancelledError } = globalThis as unknown as typeof Sdk;
      const kinora = new Kinora({ baseUrl, token });
      const stop = new AbortController();
      const onProgress = ({ stage }: Sdk.Task) => void (stage === 'rendering' && stop.abort());
      const run = kinora.videos.run(
        { prompt: 'a boat [[delay:600]]', ...smallestVideo },
        { signal: stop.signal, onProgress },
      );
      return run.catch((error) => (error instanceof TaskCancelledError ? error.task : null));
    },
    { baseUrl: backend.url, token, smallestVideo },
  );
  expect(task?.status).toBe('cancelled');
});

test('a page follows a task of another origin with only its signed URL, and plays the video', async () => {
  const created = await new Kinora({ baseUrl: url, apiKey: testKey }).videos.textToVideo({
    prompt: 'a kite',
    ...smallestVideo,
  });
  const last = await page.evaluate(async (eventsUrl) => {
    const { followEventsUrl } = globalThis as unknown as typeof Sdk;
    let last: Sdk.Task | null = null;
    for await (const task of followEventsUrl(eventsUrl)) last = task;
    return last;
  }, created.events_url ?? '');
  expect(last).toMatchObject({ id: created.id, status: 'completed', progress: 100 });
  const width = await page.evaluate(`new Promise((resolve, reject) => {
    const video = document.querySelector('video');
    video.onloadeddata = () => resolve(video.videoWidth);
    video.onerror = () => reject(new Error(video.error.message));
    video.src = ${JSON.stringify(last?.video_url)};
  })`);
  expect(width).toBe(480);
});

describe('pages of other origins', () => {
  const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
  const sendPreflight = (origin: string) =>
    fetch(`${url}/v1/videos/text-to-video`, { method: 'OPTIONS', headers: { origin, ...preflight } });

  test('pages of other origins may call the API only if the operator has allowed their origin', async () => {
    const allowed = await sendPreflight('https://app.example.com');
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    const other = await sendPreflight('https://other.example.com');
    expect(other.status).toBe(405);
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('pages of an allowed origin may read error responses too', async () => {
    const response = await call<ErrorBody>(`${url}/v1/limits`, { headers: { origin: 'https://app.example.com' } });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
      401,
      'https://app.example.com',
    ]);
  });
});
