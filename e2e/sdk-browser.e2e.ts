import { once } from 'node:events';
import { createServer, type Server, request as sendOn } from 'node:http';
import type { AddressInfo } from 'node:net';
import type * as Sdk from '@kinora/sdk';
import { Kinora } from '@kinora/sdk';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { openBrowser } from './browser.ts';
import { picture } from './media.ts';
import { type OwnProject, ownProject } from './operator.ts';

// The sdk in a page of another origin than the service's. The page has it as globals, because what runs there cannot import.

const { url } = inject('world');
const token = 'short-lived';
const quick = { resolution: '480p', aspect_ratio: '1:1', duration: 1 } as const;

let own: OwnProject;
let backend: Server;
let origin: string;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  own = await ownProject('sdk-browser');
  backend = await startBackend();
  origin = `http://localhost:${(backend.address() as AddressInfo).port}`; // it listens on a port
  browser = await openBrowser();
});
beforeEach(async () => {
  page = await browser.newPage();
  await page.goto(origin);
});
afterAll(async () => {
  await browser.close();
  backend.closeAllConnections();
  backend.close();
});

/** Serves the page, and passes on what has the token, with the key in its place. */
async function startBackend(): Promise<Server> {
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
  const server = createServer((request, response) => {
    if (request.url === '/') return void response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    if (request.url === '/sdk.js') {
      return void response.writeHead(200, { 'content-type': 'text/javascript' }).end(outputFiles[0]?.text);
    }
    if (request.headers.authorization !== `Bearer ${token}`) return void response.writeHead(401).end();
    const { method = 'GET' } = request;
    const headers = { ...request.headers, authorization: `Bearer ${own.key}` };
    const onward = sendOn(new URL(request.url ?? '', url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    // Whoever looks away in the page looks away at the service too.
    response.on('close', () => onward.destroy());
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await once(server.listen(0, 'localhost'), 'listening');
  return server;
}

test('a page is refused a key, and told what to do instead', async () => {
  const making = page.evaluate((baseUrl) => {
    const { Kinora } = globalThis as unknown as typeof Sdk;
    return typeof new Kinora({ baseUrl, apiKey: 'kin_test_x' });
  }, url);
  await expect(making).rejects.toThrow(/KinoraError: A key in a page belongs to everybody .* `events_url`/);
});

test('a page with a token of its backend uploads a picture, follows the task and has the video', async () => {
  const image = [...(await picture({ width: 400, height: 300 }, 'jpg'))];
  const seen = await page.evaluate(
    async ({ baseUrl, token, image, quick }) => {
      const { Kinora } = globalThis as unknown as typeof Sdk;
      const kinora = new Kinora({ baseUrl, token: async () => token });
      const stages = new Set<string>();
      const task = await kinora.videos.run(
        { prompt: 'zoom in [[delay:2]]', ...quick, image: new File([Uint8Array.from(image)], 'photo.jpg') },
        { onProgress: ({ stage }) => stages.add(stage) },
      );
      const video = await (await kinora.videos.download(task.id)).blob();
      return { status: task.status, stages: [...stages], kind: video.type, sizeBytes: video.size };
    },
    { baseUrl: origin, token, image, quick },
  );
  expect(seen).toMatchObject({ status: 'completed', kind: 'video/mp4' });
  expect(seen.stages).toEqual(expect.arrayContaining(['waiting', 'rendering']));
  expect(seen.sizeBytes).toBeGreaterThan(10_000);
});

test('a page that aborts cancels the task', async () => {
  const task = await page.evaluate(
    async ({ baseUrl, token, quick }) => {
      const { Kinora, TaskCancelledError } = globalThis as unknown as typeof Sdk;
      const kinora = new Kinora({ baseUrl, token });
      const stop = new AbortController();
      const onProgress = ({ stage }: Sdk.Task) => void (stage === 'rendering' && stop.abort());
      const run = kinora.videos.run({ prompt: 'a boat [[delay:60]]', ...quick }, { signal: stop.signal, onProgress });
      return run.catch((error) => (error instanceof TaskCancelledError ? error.task : null));
    },
    { baseUrl: origin, token, quick },
  );
  expect(task?.status).toBe('cancelled');
});

test('a page follows a task of another origin by its signed address alone, and plays the video', async () => {
  const created = await new Kinora({ baseUrl: url, apiKey: own.key }).videos.textToVideo({
    prompt: 'a kite',
    ...quick,
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
