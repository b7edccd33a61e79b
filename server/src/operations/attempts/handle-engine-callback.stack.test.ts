import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { startLoopbackServer } from '@kinora/stack/harness/loopback-server';
import { afterAll, describe, expect, it } from 'vitest';
import { type ConcurrencyLimit, createConcurrencyLimit } from '../../domain/concurrency-limit.ts';
import { measureGrowth } from '../../domain/memory-growth.fixture.ts';
import { rawKey } from '../../domain/object-key.ts';
import type { Task } from '../../domain/task.ts';
import { readCogCallback } from '../../engines/cog/cog-callback.ts';
import { fetchNamedOutput } from '../../engines/fetch-named-output.ts';
import { createGuardedFetcher } from '../../outbound/guarded-fetch.ts';
import { strictPolicy } from '../../outbound/outbound-policy.fixture.ts';
import { useTestStorage } from '../../storage/storage.fixture.ts';
import type { Storage } from '../../storage/storage.ts';
import { beginOrThrow, useWorld } from '../operations.fixture.ts';
import { cancelTask } from '../tasks/cancel-task.ts';
import { createEngineCallbackTokens } from './engine-callback-tokens.ts';
import { handleEngineCallback } from './handle-engine-callback.ts';
import { retryTask } from './retry-task.ts';

const world = useWorld();
const store = useTestStorage();
const tokens = createEngineCallbackTokens(['a key of at least thirty-two characters']);
const fetcher = createGuardedFetcher({ ...strictPolicy, allowHttp: true });
/** The configured address of the engine. */
let engineUrl = 'http://127.0.0.1:1';

afterAll(async () => {
  await fetcher.close();
});

interface CallbackOptions {
  token?: string;
  body?: string | Readable;
  storage?: Storage;
  uploadLimit?: ConcurrencyLimit;
}

/** Handles a callback about the task's first attempt. */
function handle(
  task: Task,
  {
    token,
    body = '',
    storage = store.storage,
    uploadLimit = createConcurrencyLimit({ total: 2, perHolder: 1 }),
  }: CallbackOptions,
) {
  const parts = {
    db: world.db,
    clock: world.clock,
    storage,
    tokens,
    readCallback: readCogCallback,
    fetchOutput: (_endpointId: string, url: string) =>
      fetchNamedOutput({ engine: { url: engineUrl, token: null }, fetcher }, url),
    uploadLimit,
  };
  const content = typeof body === 'string' ? Readable.from([Buffer.from(body)]) : body;
  return handleEngineCallback(parts, token ?? tokens.sign({ taskId: task.id, attempt: 1 }), content);
}

const callbackBody = (task: Task, fields: object) => JSON.stringify({ id: `${task.id}-1`, logs: '', ...fields });
const dataUrl = (bytes: Buffer) => `data:video/mp4;base64,${bytes.toString('base64')}`;
const success = (task: Task, output: unknown) => callbackBody(task, { output, status: 'succeeded' });

async function begun(): Promise<Task> {
  return (await beginOrThrow(world, await world.accept(await world.newProject()))).task;
}

async function stored(task: Task): Promise<Buffer | null> {
  const object = await store.storage.read(rawKey(task.id, 1));
  return object && buffer(object);
}

const report = (task: Task) => world.db.engineReports.find(task.id, 1);

/** A report that the job is running is no end: a callback whose handling takes long writes it as a sign of life. */
async function isEndRecorded(task: Task): Promise<boolean> {
  const found = await report(task);
  return found !== null && found.status !== 'running';
}

describe('a callback from an engine', () => {
  it('a callback with an output returns once the output is stored, and only the first one counts', async () => {
    const task = await begun();
    const video = randomBytes(12 * 1024 * 1024 + 5);
    expect(await handle(task, { body: success(task, dataUrl(video)) })).toBe('taken');
    expect((await stored(task))?.equals(video)).toBe(true);
    expect(await report(task)).toMatchObject({ status: 'succeeded' });
    // Callbacks that repeat or contradict the first one have no effect.
    for (const body of [
      success(task, dataUrl(randomBytes(100))),
      callbackBody(task, { status: 'failed', error: 'no' }),
      callbackBody(task, { status: 'canceled' }),
      callbackBody(task, { status: 'processing', logs: '1/4' }),
    ])
      expect(await handle(task, { body })).toBe('ignored');
    expect((await stored(task))?.equals(video)).toBe(true);
    expect(await report(task)).toMatchObject({ status: 'succeeded' });
  });

  it('a callback that waits for a permit to store its output reports the job as running, not lost', async () => {
    const task = await begun();
    const uploadLimit = createConcurrencyLimit({ total: 1, perHolder: 1 });
    const release = await uploadLimit.acquire('another endpoint');
    const handling = handle(task, { body: success(task, dataUrl(randomBytes(100))), uploadLimit });
    await expect.poll(() => report(task)).toMatchObject({ status: 'running' });
    release();
    expect(await handling).toBe('taken');
    expect(await report(task)).toMatchObject({ status: 'succeeded' });
  });

  it('the progress of callbacks is recorded and never decreases', async () => {
    const task = await begun();
    for (const logs of ['', '1/4', '3/4', '2/4', ''])
      expect(await handle(task, { body: callbackBody(task, { status: 'processing', logs }) })).toBe('taken');
    expect(await report(task)).toMatchObject({ status: 'running', progress: 75, code: null, reason: null });
  });

  it('a failure is recorded with its code, and an output that comes later is not stored', async () => {
    const task = await begun();
    const error = 'Prediction failed: Prediction failed: CUDA out of memory';
    expect(await handle(task, { body: callbackBody(task, { error, status: 'failed' }) })).toBe('taken');
    expect(await handle(task, { body: success(task, dataUrl(randomBytes(10))) })).toBe('ignored');
    expect(await report(task)).toMatchObject({
      status: 'failed',
      code: 'engine_out_of_memory',
      reason: 'CUDA out of memory',
    });
    expect(await stored(task)).toBeNull();
  });

  it('a success without a usable output is recorded as a failure', async () => {
    const task = await begun();
    expect(await handle(task, { body: success(task, dataUrl(randomBytes(9)).slice(0, -2)) })).toBe('taken');
    expect(await report(task)).toMatchObject({ status: 'failed', code: 'output_invalid' });
    expect(await stored(task)).toBeNull();
  });

  it('an output is not stored if the job has not succeeded or the body breaks off', async () => {
    const task = await begun();
    const output = dataUrl(randomBytes(6 * 1024 * 1024));
    const whole = success(task, output);
    expect(await handle(task, { body: callbackBody(task, { output: [output], status: 'processing' }) })).toBe('taken');
    expect(await handle(task, { body: whole.slice(0, -20) })).toBe('malformed');
    expect(await handle(task, { body: `${whole}}` })).toBe('malformed');
    const broken = Readable.from(
      (function* () {
        yield Buffer.from(whole.slice(0, -100));
        throw new Error('the sender disconnected');
      })(),
    );
    await expect(handle(task, { body: broken })).rejects.toThrow('the sender disconnected');
    expect(await stored(task)).toBeNull();
    expect(await store.unfinishedUploads()).toBe(0);
    expect(await report(task)).toMatchObject({ status: 'running' });
    expect(await handle(task, { body: whole })).toBe('taken');
  });

  it('a callback about a job other than its token’s is unknown', async () => {
    const [task, other] = [await begun(), await begun()];
    const output = dataUrl(randomBytes(100));
    expect(await handle(task, { body: success(other, output) })).toBe('unknown');
    expect(
      await handle(task, { body: success(other, output), token: tokens.sign({ taskId: other.id, attempt: 2 }) }),
    ).toBe('unknown');
    for (const token of ['', 'x', `${task.id}.1.${'A'.repeat(43)}`])
      expect(await handle(task, { body: success(task, output), token })).toBe('unknown');
    expect([await stored(task), await stored(other), await report(task), await report(other)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it('a callback counts only while its attempt is in progress', async () => {
    const early = await world.accept(await world.newProject());
    expect(await handle(early, { body: success(early, dataUrl(randomBytes(100))) })).toBe('unknown');

    const cancelled = await begun();
    await cancelTask(world, cancelled.id);
    const { task: retried, attempt } = await beginOrThrow(world, await world.accept(await world.newProject()));
    await retryTask(world, attempt, { outcome: 'engine_lost', stage: 'rendering', isJobOver: true });
    for (const task of [cancelled, retried]) {
      expect(await handle(task, { body: success(task, dataUrl(randomBytes(100))) })).toBe('ignored');
      expect(await handle(task, { body: callbackBody(task, { status: 'processing', logs: '1/4' }) })).toBe('ignored');
      expect([await stored(task), await report(task)]).toEqual([null, null]);
    }
  });

  it('nothing stays in the store if the task is cancelled while its output arrives', async () => {
    const task = await begun();
    const whole = success(task, dataUrl(randomBytes(100_000)));
    const body = Readable.from(
      (async function* () {
        yield Buffer.from(whole.slice(0, 1000));
        await cancelTask(world, task.id);
        yield Buffer.from(whole.slice(1000));
      })(),
    );
    expect(await handle(task, { body })).toBe('ignored');
    expect([await stored(task), await isEndRecorded(task)]).toEqual([null, false]);

    const late = await begun();
    const storage: Storage = {
      ...store.storage,
      putStream: async (...put) => {
        const sizeBytes = await store.storage.putStream(...put);
        await cancelTask(world, late.id);
        return sizeBytes;
      },
    };
    await handle(late, { body: success(late, dataUrl(randomBytes(100))), storage });
    expect(await stored(late)).toBeNull();
  });

  it('a callback throws while the store is unavailable, and counts when it is repeated', async () => {
    const task = await begun();
    const body = success(task, dataUrl(randomBytes(8 * 1024 * 1024)));
    const unavailable: Storage = {
      ...store.storage,
      putStream: async (_key, stream) => {
        stream.destroy();
        throw new Error('the store is unavailable');
      },
    };
    await expect(handle(task, { body, storage: unavailable })).rejects.toThrow('the store is unavailable');
    expect(await isEndRecorded(task)).toBe(false);
    expect(await handle(task, { body })).toBe('taken');
    expect(await stored(task)).not.toBeNull();
  });

  it('a callback whose report was lost after its output was stored does not store a second output', async () => {
    const task = await begun();
    const video = randomBytes(1000);
    await handle(task, { body: success(task, dataUrl(video)) });
    await world.db.engineReports.forget(task.id, 1);
    expect(await handle(task, { body: success(task, dataUrl(randomBytes(1000))) })).toBe('taken');
    expect((await stored(task))?.equals(video)).toBe(true);
    expect(await report(task)).toMatchObject({ status: 'succeeded' });
  });

  it('six callbacks at the same moment end the job once', async () => {
    const task = await begun();
    const videos = Array.from({ length: 6 }, () => randomBytes(200_000));
    const outcomes = await Promise.allSettled(
      videos.map((video) => handle(task, { body: success(task, dataUrl(video)) })),
    );
    // Callbacks that collided with the one that ended the job threw and are repeated; one of the rest was taken.
    const results = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(results.filter((result) => result === 'taken')).toHaveLength(1);
    const object = await stored(task);
    expect(videos.filter((video) => object?.equals(video))).toHaveLength(1);
    expect(await store.unfinishedUploads()).toBe(0);
  });

  it('a callback of 200 MB needs little memory', async () => {
    const task = await begun();
    const block = randomBytes(48 * 1024);
    const encoded = Buffer.from(block.toString('base64'));
    const blocks = 3200;
    const boundMegabytes = 100; // well below the size of the output
    const grownMegabytes = measureGrowth(boundMegabytes);
    let mostMegabytes = 0;
    const body = Readable.from(
      (function* () {
        yield Buffer.from(`{"id":"${task.id}-1","output":"data:video/mp4;base64,`);
        for (let count = 0; count < blocks; count += 1) {
          yield Buffer.from(encoded);
          mostMegabytes = Math.max(mostMegabytes, grownMegabytes());
        }
        yield Buffer.from('","status":"succeeded"}');
      })(),
      { objectMode: false },
    );
    expect(await handle(task, { body })).toBe('taken');
    expect(await store.storage.head(rawKey(task.id, 1))).toEqual({ sizeBytes: blocks * block.length });
    expect(mostMegabytes).toBeLessThan(boundMegabytes);
  });

  it('a callback larger than any video is refused', async () => {
    const task = await begun();
    const megabyte = Buffer.alloc(1024 * 1024, ' ');
    let sent = 0;
    const body = Readable.from(
      (function* () {
        for (; ; sent += 1) yield megabyte;
      })(),
    );
    expect(await handle(task, { body })).toBe('too-large');
    expect(sent).toBeLessThan(600);
    expect(await isEndRecorded(task)).toBe(false);
  });
});

describe('an output that the engine names by its URL', () => {
  it('an output is fetched from below the engine’s own URL without redirects, and a forbidden address gets no request', async () => {
    const video = randomBytes(5000);
    const paths: string[] = [];
    await using server = await startLoopbackServer((request, response) => {
      paths.push(request.url ?? '');
      if (request.url === '/out.mp4?a=b') response.end(video);
      else if (request.url === '/moved') response.writeHead(302, { location: '/out.mp4?a=b' }).end();
      else response.writeHead(request.url === '/unavailable' ? 503 : 404).end();
    });
    const origin = server.url;
    engineUrl = origin;
    const task = await begun();
    expect(await handle(task, { body: success(task, [`${origin}/out.mp4?a=b`]) })).toBe('taken');
    expect((await stored(task))?.equals(video)).toBe(true);

    const unavailable = await begun();
    await expect(handle(unavailable, { body: success(unavailable, `${origin}/unavailable`) })).rejects.toThrow(Error);
    expect(await report(unavailable)).toBeNull();

    engineUrl = 'http://127.0.0.1:1';
    const foreignUrls = [`${origin}/out.mp4?a=b`, 'http://169.254.169.254/latest', 'http://user:pass@example.com/x'];
    for (const [url, from] of [
      [`${origin}/moved`, origin],
      [`${origin}/nothing`, origin],
      ...foreignUrls.map((named) => [named, 'http://127.0.0.1:1'] as const),
    ] as const) {
      engineUrl = from;
      const failed = await begun();
      expect(await handle(failed, { body: success(failed, url) })).toBe('taken');
      expect(await report(failed)).toMatchObject({ status: 'failed', code: 'output_invalid' });
      expect(await stored(failed)).toBeNull();
    }
    expect(paths).toEqual(['/out.mp4?a=b', '/unavailable', '/moved', '/nothing']);
  });
});

describe('the reports of engines', () => {
  it('old reports are deleted and recent ones stay', async () => {
    const [old, young] = [await begun(), await begun()];
    await handle(old, { body: callbackBody(old, { status: 'processing' }) });
    await world.moveClock(10);
    await handle(young, { body: callbackBody(young, { status: 'processing' }) });
    const moment = new Date(world.clock.now().getTime() - 5_000);
    expect(await world.db.engineReports.deleteOlderThan(moment, 100)).toBeGreaterThan(0);
    expect([await report(old), (await report(young))?.status]).toEqual([null, 'running']);
  });
});
