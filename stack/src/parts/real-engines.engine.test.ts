import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../harness/test-folder.ts';
import { isAlive } from './processes.ts';
import type { RealEngine } from './real-engine.ts';
import { startCog, startSglang } from './real-engines.ts';

const tiny = { prompt: 'a cat runs in the rain', width: 64, height: 64, num_frames: 17, fps: 16 };
const predictorFolder = join(import.meta.dirname, '../../..', 'predictors', 'wan');

const folder = testFolder();

test('the Python tests of the predictor pass in the environment that serves it', async () => {
  const python = join(import.meta.dirname, '../../..', '.tools', 'engines', 'cog', 'bin', 'python');
  const { stderr } = await promisify(execFile)(python, ['-m', 'unittest', 'discover', '-s', predictorFolder]);
  expect(stderr).toMatch(/Ran [1-9]\d* tests/);
});

describe('Cog with predictors/wan', () => {
  let cog: RealEngine;
  beforeAll(async () => {
    cog = await startCog({ folder });
  });
  afterAll(() => cog?.stop());

  test('makes the same video for the same seed, and a different one for another seed', async () => {
    const [first, second] = [await predict(cog, { seed: 7 }), await predict(cog, { seed: 7 })];
    expect(second).toBe(first);
    expect(await predict(cog, { seed: 8 })).not.toBe(first);
  });

  test('makes a video from an image, and different videos from different images', async () => {
    const red = await predict(cog, { seed: 7, image: picture(255, 0, 0) });
    expect(await predict(cog, { seed: 7, image: picture(0, 0, 255) })).not.toBe(red);
  });

  test('refuses a size or frame rate that it cannot render exactly', async () => {
    await untilReady(cog);
    const { body } = await send(cog, 'POST', '/predictions', { input: { ...tiny, width: 72 } });
    expect(body).toMatchObject({ status: 'failed', error: expect.stringContaining('a multiple of 16') });
    await untilReady(cog);
    expect((await send(cog, 'POST', '/predictions', { input: { ...tiny, fps: 0 } })).status).toBe(422);
  });

  test('a job that is cancelled while it runs stops computing, and does not change the result of the next job', async () => {
    const before = await predict(cog, { seed: 7 });
    const input = { ...tiny, width: 256, height: 256, num_frames: 33, num_inference_steps: 200, seed: 1 };
    await untilReady(cog);
    const idle = cog.cpuSeconds();
    const accepted = await send(cog, 'PUT', '/predictions/long', { input }, { prefer: 'respond-async' });
    expect(accepted.status).toBe(202);
    await until(() => cog.cpuSeconds() - idle > 0.5);
    expect((await send(cog, 'POST', '/predictions/long/cancel')).status).toBe(200);
    const cancelled = cog.cpuSeconds();
    await untilReady(cog);
    await untilIdle(cog);
    // The whole job takes about 16 s of processor time.
    expect(cog.cpuSeconds() - cancelled).toBeLessThan(8);
    expect(await predict(cog, { seed: 7 })).toBe(before);
  });

  test('restarts on the same address after it was killed, and no old process remains', async () => {
    const before = [cog.pid, ...cog.workerPids()];
    expect(before).toHaveLength(2);
    await cog.kill('SIGKILL');
    await cog.restart();
    expect(before.filter(isAlive)).toEqual([]);
    await predict(cog, { seed: 7 });
  });
});

test.each([
  ['TI2V-5B, with one checkpoint for text and image', ['ti2v']],
  ['A14B, with two transformers per checkpoint', ['a14b-t2v', 'a14b-i2v']],
] as const)('Cog serves Wan 2.2 %s', async (_, checkpoints) => {
  const cog = await startCog({ folder, checkpoints });
  try {
    const text = await predict(cog, { seed: 7 });
    expect(await predict(cog, { seed: 7 })).toBe(text);
    expect(await predict(cog, { seed: 7, image: picture(255, 0, 0) })).not.toBe(text);
  } finally {
    await cog.stop();
  }
});

describe('SGLang', () => {
  let sglang: RealEngine;
  beforeAll(async () => {
    sglang = await startSglang({ folder, checkpoint: 't2v' });
  });
  afterAll(() => sglang?.stop());

  test('makes a video', async () => {
    const created = await send(sglang, 'POST', '/v1/videos', {
      ...tiny,
      num_inference_steps: 4,
      seed: 7,
      generator_device: 'cpu',
    });
    const { id } = created.body as { id: string };
    let status: unknown;
    await until(async () => {
      ({ status } = (await send(sglang, 'GET', `/v1/videos/${id}`)).body as { status: unknown });
      return status === 'completed' || status === 'failed';
    });
    expect(status).toBe('completed');
  });
});

/** Returns a picture of one colour in PPM, the simplest image format. */
function picture(...colour: [number, number, number]): string {
  const pixels = Buffer.alloc(2 * 2 * 3, Buffer.from(colour));
  return `data:image/x-portable-pixmap;base64,${Buffer.concat([Buffer.from('P6 2 2 255\n'), pixels]).toString('base64')}`;
}

/** Renders a tiny video with Cog and returns the digest of its output. */
async function predict(cog: RealEngine, input: { seed: number; image?: string }): Promise<string> {
  await untilReady(cog);
  const { body } = await send(cog, 'POST', '/predictions', { input: { ...tiny, num_inference_steps: 4, ...input } });
  expect(body).toMatchObject({
    status: 'succeeded',
    output: expect.stringMatching(/^data:video\/mp4;base64,/),
    logs: `seed ${input.seed}\nstep 0/4\nstep 1/4\nstep 2/4\nstep 3/4\nstep 4/4\n`,
  });
  return createHash('sha256')
    .update((body as { output: string }).output)
    .digest('hex');
}

async function send(
  { url }: RealEngine,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: body ? { 'content-type': 'application/json', ...headers } : headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: await response.json() };
}

/** Waits until Cog is ready: it frees its slot a moment after its response, and refuses requests until then. */
async function untilReady(cog: RealEngine): Promise<void> {
  await until(async () => ((await send(cog, 'GET', '/health-check')).body as { status: unknown }).status === 'READY');
}

async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isDone())) await sleep(20);
}

/** Waits until the engine uses almost no processor time for half a second. */
async function untilIdle(engine: RealEngine): Promise<void> {
  for (;;) {
    const used = engine.cpuSeconds();
    await sleep(500);
    if (engine.cpuSeconds() - used <= 0.02) return;
  }
}
