import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../domain/clock.ts';
import { InputRejected, SubmitRefused } from '../../errors.ts';
import { engineContract } from '../engine.contract.ts';
import type { Engine, EngineOperation, RenderRequest } from '../engine.ts';
import { neverAborted } from '../never-aborted.fixture.ts';
import { unusedUrl } from '../unused-url.fixture.ts';
import type { OpenAiVideosDialectName } from './openai-videos-dialect.ts';
import { type OpenAiVideosDouble, startOpenAiVideosDouble } from './openai-videos-double.fixture.ts';
import { createOpenAiVideosEngine } from './openai-videos-engine.ts';
import { tinyRequest } from './openai-videos-request.fixture.ts';

const request = (overrides: Partial<RenderRequest> = {}) =>
  tinyRequest({ prompt: 'a paper boat', seed: 5, height: 48, parameters: { num_inference_steps: 3 }, ...overrides });

/** Returns a job that takes the double one second. */
const longRequest = () => request({ parameters: { num_inference_steps: 50 } });

for (const dialect of ['sglang', 'vllm-omni', 'fastvideo'] as const) {
  engineContract(`openai-videos with a double of ${dialect}`, async () => {
    const double = await startOpenAiVideosDouble(dialect);
    const options = { token: null, slots: 1, clock: systemClock, dialect, model: 'tiny-wan' };
    const engine = createOpenAiVideosEngine({ ...options, url: double.url });
    return {
      engine,
      unreachable: createOpenAiVideosEngine({ ...options, url: await unusedUrl() }),
      request,
      longRequest,
      restart: () => double.restart(),
      capabilities: {
        cancelStops: dialect === 'vllm-omni',
        remembersCancels: false,
        reportsProgress: false,
        refusesWhenBusy: false,
        ignoresRepeats: false,
      },
      async teardown() {
        await engine.close();
        await double.close();
      },
    };
  });
}

describe('every dialect', () => {
  const dataUrl = `data:image/png;base64,${Buffer.from('a picture').toString('base64')}`;

  test.each([
    ['sglang', { reference_url: dataUrl }],
    ['vllm-omni', { input_reference: 'a picture'.length }],
    ['fastvideo', { reference_url: dataUrl }],
  ] as const)('a submit to %s contains size, frames, image and parameters', async (dialect, image) => {
    const { double, engine } = await start(dialect);
    await submit(engine, request({ negativePrompt: 'rain', image: Buffer.from('a picture'), seed: 2 ** 32 - 1 }));
    const sent = double.submitted[0] ?? {};
    const numbers = { width: 64, height: 48, num_frames: 17, fps: 16, seed: 2 ** 32 - 1, num_inference_steps: 3 };
    expect(Object.fromEntries(Object.keys(numbers).map((name) => [name, Number(sent[name])]))).toEqual(numbers);
    expect(sent).toMatchObject({ prompt: 'a paper boat', negative_prompt: 'rain', model: 'tiny-wan', size: '64x48' });
    expect(sent).toMatchObject(image);
  });

  test("the operator's parameters override the job's values", async () => {
    const { double, engine } = await start('sglang');
    await submit(engine, request({ parameters: { generator_device: 'cpu', seed: 7 } }));
    expect(double.submitted[0]).toMatchObject({ generator_device: 'cpu', seed: 7 });
  });

  test('a job whose submit got no response can be found by the time of its submit', async () => {
    const { engine } = await start('sglang');
    const before = new Date();
    const operation = await submit(engine, request());
    expect(await engine.jobsSince(before)).toEqual([operation]);
    expect(await engine.jobsSince(new Date(Date.now() + 60_000))).toEqual([]);
  });

  test.each([-90, 90])('the time of a submit is found although the clock of the server is %i s off', async (offset) => {
    const { double, engine } = await start('sglang');
    double.faults.clockOffsetSeconds = offset;
    const before = new Date();
    const operation = await submit(engine, request());
    expect(await engine.jobsSince(before)).toEqual([operation]);
    expect(await engine.jobsSince(new Date(Date.now() + 60_000))).toEqual([]);
  });

  test.each([
    ['sglang', { height: 64 }],
    ['vllm-omni', { height: 64 }],
    ['vllm-omni', { prompt: 'another prompt' }],
  ] as const)('%s: a job is not listed for a request with %j', async (dialect, difference) => {
    const { engine } = await start(dialect);
    const before = new Date();
    const operation = await submit(engine, request());
    expect(await engine.jobsSince(before, request(difference))).toEqual([]);
    expect(await engine.jobsSince(before, request())).toEqual([operation]);
  });

  test('a submit throws InputRejected if the server rejects the input, and SubmitRefused if its workers are dead', async () => {
    const { double, engine } = await start('vllm-omni', { model: 'another' });
    await expect(submit(engine, request())).rejects.toThrow(InputRejected);
    double.faults.isDead = true;
    await expect(submit(engine, request())).rejects.toThrow(SubmitRefused);
    expect(await engine.health()).toEqual({ isReady: false, reason: 'it responds with status 503' });
  });

  test('a description with a wrong model or dialect has a problem that says what to change', async () => {
    const { double, engine } = await start('vllm-omni', { model: 'another' });
    expect((await engine.describe()).problems).toEqual([
      'The server does not serve "model: another" of its pool: change it to "model: tiny-wan".',
    ]);
    const mistaken = createOpenAiVideosEngine({
      url: double.url,
      token: null,
      slots: 1,
      clock: systemClock,
      dialect: 'sglang',
      model: 'tiny-wan',
    });
    onTestFinished(() => mistaken.close());
    expect((await mistaken.describe()).problems).toEqual([
      'The server is vllm-omni: change "dialect: sglang" of its pool to "dialect: vllm-omni".',
    ]);
  });

  test.each([
    ['sglang', 'out-of-memory', 'engine_out_of_memory'],
    ['vllm-omni', 'out-of-memory', 'engine_out_of_memory'],
    ['vllm-omni', 'crash', 'engine_crashed'],
    ['fastvideo', 'crash', 'engine_crashed'],
  ] as const)('%s: a job that ends with %s fails with the matching code', async (dialect, ending, code) => {
    const { double, engine } = await start(dialect);
    double.faults.ending = ending;
    const operation = await submit(engine, request());
    await expect.poll(() => engine.poll(operation)).toMatchObject({ state: 'failed', code });
    expect(await engine.cancel(operation)).toBe('stopped');
    expect(await engine.poll(operation)).toEqual({ state: 'lost' });
  });
});

describe('an engine that cannot stop jobs', () => {
  test.each(['sglang', 'fastvideo'] as const)('%s: a running job is never deleted', async (dialect) => {
    const { double, engine } = await start(dialect);
    const operation = await submit(engine, longRequest());
    await isRunning(engine, operation);
    expect(await engine.cancel(operation)).toBe('unsupported');
    expect(await engine.poll(operation)).toMatchObject({ state: 'running' });
    await expect.poll(() => engine.poll(operation)).toEqual({ state: 'succeeded' });
    expect(double.computing()).toBe(0);
    expect(await engine.cancel(operation)).toBe('stopped');
    expect(await engine.poll(operation)).toEqual({ state: 'lost' });
    expect(double.deletedUnfinished).toEqual([]);
  });

  test('a cancel of a job that was lost in a restart returns forgotten', async () => {
    const { double, engine } = await start('sglang');
    const operation = await submit(engine, longRequest());
    await double.restart();
    expect(await engine.cancel(operation)).toBe('forgotten');
  });
});

describe('vLLM-Omni', () => {
  test('has stopped a cancelled job once its own count of requests is 0', async () => {
    const { double, engine } = await start('vllm-omni');
    const operation = await submit(engine, longRequest());
    await isRunning(engine, operation);
    expect(await engine.cancel(operation)).toBe('stopped');
    expect(double.computing()).toBe(0);
    expect(await engine.cancel(operation)).toBe('stopped');
  });

  test('keeps its slot taken while it still computes a job that it has forgotten', async () => {
    const { double, engine } = await start('vllm-omni');
    double.faults.computesOnAfterDelete = true;
    const operation = await submit(engine, request({ parameters: { num_inference_steps: 150 } }));
    await isRunning(engine, operation);
    await expect(engine.cancel(operation)).rejects.toThrow('still computing');
    expect(double.deletedUnfinished).toEqual([operation['id']]);
    expect(double.computing()).toBe(1);
    await expect(engine.cancel(operation)).rejects.toThrow('still computing');
    await expect.poll(() => engine.cancel(operation)).toBe('stopped');
    expect(double.computing()).toBe(0);
  });

  test('gets another DELETE if it was still cancelling', async () => {
    const { double, engine } = await start('vllm-omni');
    double.faults.conflicts = 1;
    const operation = await submit(engine, longRequest());
    await isRunning(engine, operation);
    await expect(engine.cancel(operation)).rejects.toThrow('409');
    expect(await engine.cancel(operation)).toBe('stopped');
  });

  test('can be freed from a job that is stuck after it ran out of memory', async () => {
    const { double, engine } = await start('vllm-omni');
    double.faults.ending = 'stuck';
    const operation = await submit(engine, request());
    await isRunning(engine, operation);
    expect(await engine.cancel(operation)).toBe('stopped');
    expect(double.computing()).toBe(0);
  });

  test.each([
    ['counts nothing', 1, true],
    ['has several slots', 2, false],
  ])(
    'that %s cannot prove that it is idle, so its running jobs are not deleted',
    async (_name, slots, countsNothing) => {
      const { double, engine } = await start('vllm-omni', { slots });
      double.faults.countsNothing = countsNothing;
      const operation = await submit(engine, longRequest());
      await isRunning(engine, operation);
      expect(await engine.cancel(operation)).toBe('unsupported');
      expect(double.deletedUnfinished).toEqual([]);
    },
  );
});

async function start(
  dialect: OpenAiVideosDialectName,
  overrides: { slots?: number; model?: string } = {},
): Promise<{ double: OpenAiVideosDouble; engine: Engine }> {
  const double = await startOpenAiVideosDouble(dialect);
  const options = { token: null, slots: 1, clock: systemClock, model: 'tiny-wan', ...overrides };
  const engine = createOpenAiVideosEngine({ url: double.url, dialect, ...options });
  onTestFinished(async () => {
    await engine.close();
    await double.close();
  });
  return { double, engine };
}

function submit(engine: Engine, job: RenderRequest): Promise<EngineOperation> {
  return engine.submit(job, neverAborted);
}

function isRunning(engine: Engine, operation: EngineOperation): Promise<void> {
  return expect.poll(() => engine.poll(operation)).toEqual({ state: 'running', progress: null });
}
