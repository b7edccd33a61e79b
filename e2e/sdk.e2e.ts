import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Kinora, KinoraError, NotFoundError, type Task, TaskCancelledError, TaskFailedError } from '@kinora/sdk';
import { closing } from '@kinora/stack/harness/closing';
import { eventually } from '@kinora/stack/harness/eventually';
import { ampleLimits, neverRunning } from '@kinora/stack/harness/project-limits';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { testFolder } from '@kinora/stack/harness/test-folder';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { makeVideo } from '../sdk/examples/browser-page.ts';
import { startDroppingProxy } from './dropping-proxy.ts';
import { save } from './media-folder.ts';
import { ownProject, workerPort } from './own-project.ts';
import { probe } from './probe-video.ts';
import { picture } from './sample-pictures.ts';

const run = promisify(execFile);
const { url } = inject('world');
const ownPort = workerPort();

const own = await ownProject('sdk', ampleLimits);
const kinora = new Kinora({ apiKey: own.key, baseUrl: url });

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('videos.run', () => {
  test('videos.run creates and follows a task and returns it once it has completed, ready to download', async () => {
    const seen: Task[] = [];
    const task = await kinora.videos.run(
      { prompt: 'a boat at dusk', ...smallestVideo },
      { onProgress: (now) => seen.push(now) },
    );
    expect(task.status).toBe('completed');
    expect(seen[0]?.status).toBe('queued');
    expect(seen.at(-1)).toMatchObject({ id: task.id, progress: 100 });
    const bytes = new Uint8Array(await (await kinora.videos.download(task.id)).arrayBuffer());
    expect((await probe(await save(bytes, 'mp4'))).streams[0]).toMatchObject({ width: 480, nb_read_frames: '24' });
    const thumbnail = await kinora.videos.download(task.id, { variant: 'thumbnail' });
    expect(thumbnail.headers.get('content-type')).toBe('image/jpeg');
  });

  test('videos.save writes the video as the service describes it, and its thumbnail', async () => {
    const task = await kinora.videos.run({ prompt: 'a lake', ...smallestVideo });
    const folder = testFolder(onTestFinished);
    const seen: number[] = [];
    const path = join(folder, 'lake.mp4');
    const saved = await kinora.videos.save(task, path, { onProgress: ({ savedBytes }) => seen.push(savedBytes) });
    expect(saved).toEqual({ path, sizeBytes: task.video.size_bytes });
    expect(seen.at(-1)).toBe(task.video.size_bytes);
    const bytes = await readFile(path);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(task.video.sha256);
    await kinora.videos.save(task.id, join(folder, 'lake.jpg'), { variant: 'thumbnail' });
    expect((await readdir(folder)).toSorted()).toEqual(['lake.jpg', 'lake.mp4']);
  });

  test('videos.run makes exactly one video although the network breaks ten times during the task', async () => {
    const project = await ownProject('sdk-drops', neverRunning);
    await using proxy = closing(await startDroppingProxy(url, { everyMilliseconds: 250, times: 12 }));
    const client = new Kinora({ apiKey: project.key, baseUrl: proxy.url });
    const running = client.videos.run({ prompt: 'a train in the mountains', ...smallestVideo });
    await eventually('the network has broken ten times', async () => proxy.drops() >= 10);
    // The network keeps breaking while the task renders.
    await project.set('--running', '1');
    const task = await running;
    expect(task.status).toBe('completed');
    expect(proxy.drops()).toBeGreaterThan(10);
    expect((await all(client.videos.list())).map(({ id, status }) => ({ id, status }))).toEqual([
      { id: task.id, status: 'completed' },
    ]);
  });

  test('videos.run uploads an image and animates it', async () => {
    const image = await picture({ width: 480, height: 480 }, 'png');
    const task = await kinora.videos.run({ prompt: 'zoom in', image, ...smallestVideo });
    expect(task).toMatchObject({ type: 'image_to_video', status: 'completed' });
  });

  test('videos.run throws an error with the task if the task fails', async () => {
    const failing = kinora.videos.run({ prompt: '[[fail:engine_rejected_input]] a boat', ...smallestVideo });
    const error = await failing.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TaskFailedError);
    expect(error).toMatchObject({ code: 'engine_rejected_input', task: { status: 'failed' } });
  });

  test('videos.run cancels the task when it is aborted', async () => {
    const stop = new AbortController();
    const reason = new Error('changed my mind');
    const error = await kinora.videos
      .run(
        { prompt: 'a boat [[delay:600]]', ...smallestVideo },
        { signal: stop.signal, onProgress: ({ status }) => status === 'in_progress' && stop.abort(reason) },
      )
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TaskCancelledError);
    expect(error).toMatchObject({ cause: reason, task: { status: 'cancelled' } });
    const { task } = error as TaskCancelledError;
    expect(await kinora.videos.get(task?.id ?? '')).toMatchObject({ status: 'cancelled' });
  });

  test('videos.run leaves no task running if it is aborted before the response to the create arrives', async () => {
    const stop = new AbortController();
    const running = kinora.videos.run({ prompt: 'a boat [[delay:61]]', ...smallestVideo }, { signal: stop.signal });
    stop.abort();
    await expect(running).rejects.toBeInstanceOf(TaskCancelledError);
    const tasks = await all(kinora.videos.list());
    expect(tasks.filter(({ prompt, is_final: isFinal }) => prompt.includes('delay:61') && !isFinal)).toEqual([]);
  });
});

describe('a task', () => {
  let task: Task;
  beforeAll(async () => {
    task = await kinora.videos.textToVideo({
      prompt: 'a bird over the sea',
      ...smallestVideo,
      metadata: { for: 'sdk' },
    });
  });

  test('a task can be followed, waited for and listed, and has a timeline', async () => {
    const seen = await all(kinora.videos.follow(task.id));
    expect(seen.at(-1)).toMatchObject({ id: task.id, status: 'completed' });
    expect((await kinora.videos.wait(task)).video.url).toMatch(/^http/);
    expect(await kinora.videos.get(task.id, { waitSeconds: 5 })).toMatchObject({ metadata: { for: 'sdk' } });
    const ids = (await all(kinora.videos.list({ limit: 1, status: 'completed' }))).map(({ id }) => id);
    expect(ids).toContain(task.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await kinora.videos.timeline(task.id)).toMatchObject({ attempts: [{}] });
  });

  test('lists come page by page too', async () => {
    await kinora.videos.textToVideo({ prompt: 'a second bird', ...smallestVideo });
    const first = await kinora.videos.list({ limit: 1 });
    expect([first.data.length, first.hasMore]).toEqual([1, true]);
    const second = await first.nextPage();
    expect(second.data[0]?.id).not.toBe(first.data[0]?.id);
  });

  test('a task can be deleted, and reading it then returns 410', async () => {
    expect(await kinora.videos.delete(task.id)).toMatchObject({ deleted: true });
    await expect(kinora.videos.get(task.id)).rejects.toMatchObject({ status: 410 });
    await expect(kinora.videos.get('task_none')).rejects.toBeInstanceOf(NotFoundError);
  });
});

test('the same idempotency key returns the same task', async () => {
  const options = { idempotencyKey: 'sdk-1' };
  const one = await kinora.videos.textToVideo({ prompt: 'a car', ...smallestVideo }, options);
  expect((await kinora.videos.textToVideo({ prompt: 'a car', ...smallestVideo }, options)).id).toBe(one.id);
  await expect(kinora.videos.textToVideo({ prompt: 'a van', ...smallestVideo }, options)).rejects.toMatchObject({
    status: 422,
  });
  const image = await picture({ width: 480, height: 480 }, 'jpg');
  const first = await kinora.videos.imageToVideo({ prompt: 'zoom out', image, ...smallestVideo }, options);
  expect((await kinora.videos.imageToVideo({ prompt: 'zoom out', image, ...smallestVideo }, options)).id).toBe(
    first.id,
  );
});

describe('the client', () => {
  const stop = new AbortController();
  afterAll(() => stop.abort());

  test('the client streams the events of the project as they happen', async () => {
    const events = kinora.events.stream({ signal: stop.signal })[Symbol.asyncIterator]();
    const first = events.next();
    const task = await kinora.videos.run({ prompt: 'a fish', ...smallestVideo });
    const types: string[] = [];
    for (let next = await first; !next.done; next = await events.next()) {
      if (next.value.data.id !== task.id) continue;
      types.push(next.value.type);
      if (next.value.type === 'video.completed') break;
    }
    expect(types).toEqual(['video.started', 'video.completed']);
  });

  test('the client uploads, reads and deletes files', async () => {
    const { id } = await kinora.files.upload(await picture({ width: 480, height: 480 }, 'png'));
    expect(await kinora.files.get(id)).toMatchObject({ id });
    const task = await kinora.videos.imageToVideo({ prompt: 'zoom in', image: id, ...smallestVideo });
    expect(task.type).toBe('image_to_video');
    expect(await kinora.files.delete(id)).toMatchObject({ id, deleted: true });
    await expect(kinora.files.get(id)).rejects.toBeInstanceOf(KinoraError);
  });

  test('the client manages webhook endpoints', async () => {
    const { webhookEndpoints } = kinora;
    const created = await webhookEndpoints.create({ url: 'https://example.com/hook' });
    expect(created.secret).toMatch(/^whsec_/);
    expect((await webhookEndpoints.list()).data.map(({ id }) => id)).toContain(created.id);
    expect(await webhookEndpoints.update(created.id, { description: 'mine' })).toMatchObject({ description: 'mine' });
    expect(await webhookEndpoints.get(created.id)).toMatchObject({ description: 'mine', status: 'enabled' });
    expect((await webhookEndpoints.rotateSecret(created.id)).secret).not.toBe(created.secret);
    expect((await webhookEndpoints.callbackSecret.get()).secret).toMatch(/^whsec_/);
    expect(await webhookEndpoints.delete(created.id)).toMatchObject({ deleted: true });
  });

  test('an error about an image calls it image, as the caller did', async () => {
    const request = { prompt: 'zoom in', image: 'https://[::1]/a.png', ...smallestVideo };
    const error = await kinora.videos.imageToVideo(request).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ param: 'image', message: expect.not.stringContaining('image_url') });
  });

  test('withResponse shows the headers of a response, also if the address ends in /v1', async () => {
    const client = new Kinora({ apiKey: own.key, baseUrl: `${url}/v1` });
    const options = { headers: { prefer: 'handling=strict' } };
    const { data, response } = await client.videos.estimate({ prompt: 'a boat' }, options).withResponse();
    expect(data.request.model).toBe('animatic');
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    const unknown = { prompt: 'a boat', durration: 1 };
    await expect(client.videos.estimate(unknown)).resolves.toMatchObject({ warnings: [{ param: 'durration' }] });
    await expect(client.videos.estimate(unknown, options)).rejects.toMatchObject({ param: 'durration' });
  });

  test('the client returns models, limits, usage and an estimate', async () => {
    expect((await kinora.models.list()).data.map(({ id }) => id)).toContain('animatic');
    expect(await kinora.models.get('animatic')).toMatchObject({ id: 'animatic' });
    expect(await kinora.limits.get()).toBeTypeOf('object');
    expect(await kinora.usage.get({ bucket: 'hour' })).toMatchObject({ object: 'list' });
    expect(await kinora.videos.estimate({ prompt: 'a boat', ...smallestVideo })).toMatchObject({
      request: { model: 'animatic' },
    });
  });
});

describe.concurrent('the example in sdk/examples', () => {
  const folder = testFolder();

  /** Starts an example as its reader would, in an empty folder. `onLine` gets every line that it prints. */
  function start(name: string, { args = [], env = {}, onLine = () => undefined }: ExampleOptions = {}) {
    const file = resolve('sdk/examples', `${name}.ts`);
    const child = spawn(process.execPath, ['--conditions=kinora-source', file, ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], KINORA_BASE_URL: url, KINORA_API_KEY: own.key, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const lines: string[] = [];
    for (const output of [child.stdout, child.stderr]) {
      createInterface(output).on('line', (line) => {
        lines.push(line);
        onLine(line);
      });
    }
    const closed = new Promise<number | null>((done) => child.once('close', done));
    const ended = closed.then((code) => ({ code, lines }));
    return { ended, child };
  }

  test('first-video saves a video', async () => {
    const { code, lines } = await start('first-video').ended;
    expect([code, lines[0]]).toEqual([0, expect.stringMatching(/^boat\.mp4, and for an hour http/)]);
    expect((await probe(join(folder, 'boat.mp4'))).streams[0]).toMatchObject({ width: 480, nb_read_frames: '24' });
  });

  test.for([
    ['the oldest supported Node', 'node20', []],
    ['Bun', 'bun', []],
    ['Deno', 'deno', ['run', '--allow-all']],
  ] as const)('first-video saves a video under %s too', async ([, command, args]) => {
    const cwd = join(folder, command);
    const outfile = join(cwd, 'first-video.mjs');
    const entryPoints = ['sdk/examples/first-video.ts'];
    await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', conditions: ['kinora-source'] });
    const env = { PATH: process.env['PATH'], KINORA_BASE_URL: url, KINORA_API_KEY: own.key };
    const { stdout } = await run(command, [...args, outfile], { cwd, env });
    expect(stdout).toMatch(/^boat\.mp4, and for an hour http/);
    expect((await probe(join(cwd, 'boat.mp4'))).streams[0]).toMatchObject({ width: 480, nb_read_frames: '24' });
  });

  test('image-to-video prints the URL of the video, or what is wrong with the image', async () => {
    const path = await save(await picture({ width: 640, height: 480 }, 'jpg'), 'jpg');
    const { code, lines } = await start('image-to-video', { args: [path] }).ended;
    expect([code, lines]).toEqual([0, [expect.stringMatching(/^http/)]]);
    const wrong = await start('image-to-video', { args: [await save(Buffer.from('no image'), 'jpg')] }).ended;
    expect([wrong.code, wrong.lines]).toEqual([1, [expect.stringMatching(/\(image_unsupported_format, req_\w+\)$/)]]);
  });

  test('progress-and-abort shows progress, and cancels the task on Ctrl-C', async () => {
    const example = start('progress-and-abort', {
      args: ['a train [[delay:600]]'],
      onLine: (line) => void (line.startsWith('rendering') && example.child.kill('SIGINT')),
    });
    const { code, lines } = await example.ended;
    expect([code, lines.at(-1)]).toEqual([0, expect.stringMatching(/^cancelled: task_/)]);
    const [, taskId = ''] = lines.at(-1)?.split(' ') ?? [];
    expect(await kinora.videos.get(taskId)).toMatchObject({ status: 'cancelled' });
  });

  test('list-and-download downloads the newest two videos', async () => {
    const { code, lines } = await start('list-and-download').ended;
    expect([code, lines.length]).toEqual([0, 2]);
    const names = lines.map((line) => line.split(':')[0] ?? '');
    expect(await readdir(folder)).toEqual(expect.arrayContaining(names));
    expect((await probe(join(folder, names[0] ?? ''))).streams[0]).toMatchObject({ codec_name: 'h264' });
  });

  test('webhooks accepts events of the service and refuses others, and register-webhook shows what it responds', async () => {
    const { body } = await own.client.get<{ secret: string }>('/v1/webhook-endpoints/callback-secret');
    const ready = Promise.withResolvers<string>();
    const listening = Promise.withResolvers<void>();
    const { child } = start('webhooks', {
      env: { PORT: String(ownPort), KINORA_WEBHOOK_SECRET: body.secret },
      onLine: (line) => (line.startsWith('listening') ? listening.resolve() : ready.resolve(line)),
    });
    try {
      await listening.promise;
      const address = `http://127.0.0.1:${ownPort}/`;
      expect((await fetch(address, { method: 'POST', body: '{"type":"video.completed"}' })).status).toBe(400);
      const task = await kinora.videos.textToVideo({ prompt: 'a kite', ...smallestVideo, callback_url: address });
      expect(await ready.promise).toBe(`${task.id} is ready`);
      // The endpoint has a secret of its own, so the example above refuses what it gets.
      const { code, lines } = await start('register-webhook', { args: [address] }).ended;
      expect([code, lines[0]]).toEqual([0, expect.stringMatching(/^\w+: whsec_/)]);
      expect(lines.join('\n')).toMatch(/: dead \[[^]*status: 400/);
    } finally {
      child.kill();
    }
  });

  test('browser-backend lets a page follow a task without a key', async () => {
    const port = await findFreePorts(1);
    const listening = Promise.withResolvers<string>();
    const { child } = start('browser-backend', { env: { PORT: String(port) }, onLine: listening.resolve });
    try {
      await listening.promise;
      const shown: string[] = [];
      const videoUrl = await makeVideo('a swan', (text) => shown.push(text), `http://127.0.0.1:${port}/videos`);
      expect(shown.at(-1)).toMatch(/100 %$/);
      expect((await fetch(videoUrl ?? '')).headers.get('content-type')).toBe('video/mp4');
    } finally {
      child.kill();
    }
  });
});

interface ExampleOptions {
  args?: string[];
  env?: Record<string, string>;
  onLine?: (line: string) => void;
}
