import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { debianFfmpeg } from '@kinora/boxes/debian-ffmpeg.fixture';
import type { RealEngine } from '@kinora/stack/parts/real-engine';
import { startSglang } from '@kinora/stack/parts/real-engines';
import { createCanvas } from '@napi-rs/canvas';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../domain/clock.ts';
import { InputRejected, SubmitRefused } from '../../errors.ts';
import { engineContract } from '../engine.contract.ts';
import type { Engine, EngineOperation, RenderRequest } from '../engine.ts';
import { neverAborted } from '../never-aborted.fixture.ts';
import { unusedUrl } from '../unused-url.fixture.ts';
import { createOpenAiVideosEngine } from './openai-videos-engine.ts';
import { onCpu, tinyRequest } from './openai-videos-request.fixture.ts';

/** Returns a job of eight seconds on a CPU that is otherwise idle. */
const longRequest = () =>
  tinyRequest({ width: 128, height: 128, frameCount: 33, parameters: { ...onCpu, num_inference_steps: 200 } });

engineContract('openai-videos with a real SGLang server', async () => {
  const { sglang, engine, stop } = await start('t2v');
  return {
    engine,
    unreachable: createOpenAiVideosEngine({ ...sglangOptions, url: await unusedUrl() }),
    request: tinyRequest,
    longRequest,
    async restart() {
      await sglang.kill('SIGKILL');
      await sglang.restart();
    },
    capabilities: {
      cancelStops: false,
      remembersCancels: false,
      reportsProgress: false,
      refusesWhenBusy: false,
      ignoresRepeats: false,
    },
    teardown: stop,
  };
});

describe('a real SGLang server that makes videos from images', () => {
  let sglang: RealEngine;
  let engine: Engine;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    ({ sglang, engine, stop } = await start('i2v'));
  });
  afterAll(() => stop?.());

  const submit = (job: RenderRequest) => {
    const image = createCanvas(job.width, job.height).toBuffer('image/png');
    return engine.submit({ ...job, image }, neverAborted);
  };

  const ended = async (operation: EngineOperation, state: string) => {
    await expect.poll(() => engine.poll(operation), { interval: 100 }).toMatchObject({ state });
  };

  async function render(job: RenderRequest): Promise<Buffer> {
    const operation = await submit(job);
    await ended(operation, 'succeeded');
    const bytes = await buffer(await engine.fetchOutput(operation));
    await engine.discard(operation);
    return bytes;
  }

  test('renders exactly the requested canvas and number of frames', async () => {
    expect(await probe(await render(tinyRequest({ width: 96, height: 64, frameCount: 21 })))).toMatchObject({
      geometry: '96,64,16/1,21',
    });
  });

  test('makes the same frames from the same seed, and different frames from another seed', async () => {
    const { frames } = await probe(await render(tinyRequest()));
    expect((await probe(await render(tinyRequest()))).frames).toBe(frames);
    expect((await probe(await render(tinyRequest({ seed: 43 })))).frames).not.toBe(frames);
  });

  test('lists a job that was submitted after a given time', async () => {
    const before = new Date();
    const operation = await submit(tinyRequest());
    expect(await engine.jobsSince(before)).toContainEqual(operation);
    await ended(operation, 'succeeded');
    await engine.discard(operation);
  });

  test('continues a running job that was cancelled, and deletes it on a cancel after its end', async () => {
    const operation = await submit(longRequest());
    await ended(operation, 'running');
    expect(await engine.cancel(operation)).toBe('unsupported');
    expect(await engine.poll(operation)).toMatchObject({ state: 'running' });
    await ended(operation, 'succeeded');
    expect(await engine.cancel(operation)).toBe('stopped');
    expect(await engine.poll(operation)).toEqual({ state: 'lost' });
    expect(await engine.cancel(operation)).toBe('forgotten');
  });

  test('rejects a job without an image at once', async () => {
    await expect(engine.submit(tinyRequest(), neverAborted)).rejects.toThrow(InputRejected);
  });

  test('reports a job as failed if its model cannot render the size', async () => {
    const operation = await submit(tinyRequest({ width: 72 }));
    await ended(operation, 'failed');
    await engine.discard(operation);
    expect(await engine.poll(operation)).toEqual({ state: 'lost' });
  });

  // This must be the last test: the server does not recover from it.
  test('is not ready, refuses new jobs and reports its job as failed after its workers were killed', async () => {
    const operation = await submit(longRequest());
    await ended(operation, 'running');
    for (const pid of sglang.workerPids()) process.kill(pid, 'SIGKILL');
    await ended(operation, 'failed');
    await expect.poll(() => engine.health()).toMatchObject({ isReady: false });
    await expect(submit(tinyRequest())).rejects.toThrow(SubmitRefused);
  });
});

const sglangOptions = { token: null, slots: 1, clock: systemClock, dialect: 'sglang', model: null } as const;

async function start(
  checkpoint: 't2v' | 'i2v',
): Promise<{ sglang: RealEngine; engine: Engine; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'openai-videos-sglang-'));
  const sglang = await startSglang({ folder, checkpoint });
  const engine = createOpenAiVideosEngine({ ...sglangOptions, url: sglang.url });
  return {
    sglang,
    engine,
    async stop() {
      await engine.close();
      await sglang.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns size, frame rate and number of frames as ffprobe counts them, and a hash of the decoded frames. */
async function probe(bytes: Buffer): Promise<{ geometry: string; frames: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'openai-videos-probe-'));
  const path = join(folder, 'video.mp4');
  const run = promisify(execFile);
  try {
    await writeFile(path, bytes);
    const entries = 'stream=width,height,r_frame_rate,nb_read_frames';
    const counting = ['-v', 'error', '-select_streams', 'v:0', '-count_frames', '-show_entries', entries];
    const { stdout: geometry } = await run('ffprobe', [...counting, '-of', 'csv=p=0', path]);
    const decoded = await debianFfmpeg('-i video.mp4 -f rawvideo -pix_fmt rgb24 -', folder);
    return { geometry: geometry.trim(), frames: createHash('sha256').update(decoded).digest('hex') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
