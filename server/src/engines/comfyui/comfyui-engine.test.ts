import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { buffer } from 'node:stream/consumers';
import { debianFfmpeg } from '@kinora/boxes/debian-ffmpeg.fixture';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { InputRejected, OutputInvalid, SubmitRefused } from '../../errors.ts';
import { engineContract } from '../engine.contract.ts';
import type { Engine, EngineOperation, RenderRequest } from '../engine.ts';
import { neverAborted } from '../never-aborted.fixture.ts';
import { createComfyEngine } from './comfyui-engine.ts';
import { exchangeOf, runOf } from './comfyui-recordings.fixture.ts';
import { type ComfyDouble, startComfyDouble } from './comfyui-replay.fixture.ts';
import { readTemplate, recordedTemplate, request } from './comfyui-template.fixture.ts';
import type { ComfyTemplate } from './comfyui-template.ts';

/** The smallest video that plays. */
const video = await debianFfmpeg(
  '-f lavfi -i testsrc=s=64x64:r=8:d=1 -c:v libx264 -pix_fmt yuv420p -movflags frag_keyframe+empty_moov -f mp4 -',
  tmpdir(),
);

for (const version of ['v0.33.0', 'v0.7.0'] as const) {
  engineContract(`comfyui with a double of ${version}`, async () => {
    const double = await startComfyDouble(version, video);
    // The recorded chain of noise nodes, at 30 % or 2 % of its duration; of 0.7.0 only its beginning was recorded.
    const run = runOf('v0.33.0', '10_long_progress');
    double.script = (graph) => ({ run, pace: graph['1']?.inputs['batch_size'] === 48 ? 0.3 : 0.02 });
    const templates = { textToVideo: readTemplate('weight-free'), imageToVideo: null };
    const engine = createComfyEngine({ url: double.url, token: null, slots: 1, templates });
    const unreachable = createComfyEngine({ url: 'http://127.0.0.1:9', token: null, slots: 1, templates });
    return {
      engine,
      unreachable,
      request,
      longRequest: () => request({ frameCount: 48 }),
      async restart() {
        await double.kill();
        await engine.health().catch(() => undefined); // after a real kill, too, it notices the closed connections
        await double.start();
      },
      capabilities: {
        cancelStops: true,
        remembersCancels: false,
        reportsProgress: true,
        refusesWhenBusy: false,
        ignoresRepeats: true,
      },
      async teardown() {
        await Promise.all([engine.close(), unreachable.close()]);
        await double.kill();
      },
    };
  });
}

describe.each(['v0.33.0', 'v0.7.0'] as const)('with recorded responses of ComfyUI %s', (version) => {
  let double: ComfyDouble;
  let engine: Engine;

  beforeEach(async () => {
    double = await startComfyDouble(version, video);
    engine = engineWith(recordedTemplate(version, '01_t2v'));
  });
  afterEach(async () => {
    await engine.close();
    await double.kill();
  });

  function engineWith(textToVideo: ComfyTemplate | null, imageToVideo: ComfyTemplate | null = null): Engine {
    return createComfyEngine({ url: double.url, token: 'hush', slots: 1, templates: { textToVideo, imageToVideo } });
  }

  async function use(...templates: Parameters<typeof engineWith>): Promise<void> {
    await engine.close();
    engine = engineWith(...templates);
  }

  const submit = (overrides: Partial<RenderRequest> = {}): Promise<EngineOperation> =>
    engine.submit(request(overrides), neverAborted);

  async function until(operation: EngineOperation, ...states: string[]): Promise<number[]> {
    const seen: number[] = [];
    const poll = async () => {
      const state = await engine.poll(operation);
      if (state.state === 'running' && state.progress !== null) seen.push(state.progress);
      return state.state;
    };
    await expect.poll(poll, { interval: 5 }).toBeOneOf(states);
    return seen;
  }

  interface Submitted {
    prompt: ComfyTemplate['graph'];
    prompt_id: string;
  }
  const submitted = (): Submitted[] =>
    double.requests
      .filter(({ method, path }) => method === 'POST' && path === '/prompt')
      .map(({ body }) => JSON.parse(body.toString()) as Submitted); // the adapter's

  test('a job is the template with its values under a new UUID, and its output is the file that the server named', async () => {
    const operation = await submit({ seed: 7, width: 96, fps: 24, negativePrompt: 'rain' });
    expect(operation['promptId']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    await until(operation, 'succeeded');
    expect((await buffer(await engine.fetchOutput(operation))).equals(video)).toBe(true);
    const prompt = submitted()[0]?.prompt;
    const prompt_id = submitted()[0]?.prompt_id;
    expect(prompt_id).toBe(operation['promptId']);
    expect(prompt?.['1']?.inputs).toMatchObject({ width: 96, height: 64, batch_size: 9 });
    expect(prompt?.['2']?.inputs).toMatchObject({ seed: 7, image: ['1', 0], strength: 0.5 });
    expect(prompt?.['4']?.inputs).toMatchObject({
      filename_prefix: `kinora/${prompt_id}`,
      format: 'mp4',
      codec: 'h264',
    });
    for (const { headers } of double.requests) {
      expect(headers.origin).toBeUndefined();
      expect(headers.authorization).toBe('Bearer hush');
    }
  });

  test("the sampler's steps make up most of the progress", async () => {
    await use(recordedTemplate(version, '40_wan_t2v'));
    double.script = () => ({ run: runOf(version, '40_wan_t2v'), pace: 1 }); // each step lasts long enough to be seen
    const progress = await until(await submit({ prompt: 'a cat', negativePrompt: 'rain' }), 'succeeded');
    // Six nodes of weight 1 come before the 20 steps, three after them: 6/29 to 26/29.
    const inSampler = new Set(progress.filter((percent) => percent > 21 && percent < 89));
    expect(inSampler.size).toBeGreaterThan(4);
    expect(progress[0]).toBeGreaterThan(21); // none while the models are loaded
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    const prompt = submitted()[0]?.prompt;
    expect([prompt?.['3']?.inputs['text'], prompt?.['4']?.inputs['text']]).toEqual(['a cat', 'rain']);
  });

  test('a cancelled job stops at a step of its sampler', async () => {
    await use(recordedTemplate(version, '40_wan_t2v'));
    double.script = () => ({ run: runOf(version, '40_wan_t2v'), pace: 3 });
    const operation = await submit();
    const progress = async () => {
      const state = await engine.poll(operation);
      return state.state === 'running' ? state.progress : 0;
    };
    await expect.poll(progress).toBeGreaterThan(21);
    expect(await engine.cancel(operation)).toBe('stopped');
    expect(await engine.poll(operation)).toEqual({ state: 'lost' });
    const posted = double.requests.filter(({ method }) => method === 'POST').map(({ path }) => path);
    const byPath = `/api/jobs/${operation['promptId']}/cancel`;
    expect(posted.slice(1)).toEqual(version === 'v0.7.0' ? [byPath, '/queue', '/interrupt'] : [byPath]);
  });

  test('a job that is saving its video continues after a cancel, and poll shows its end', async () => {
    double.script = () => ({
      run: runOf(version, '14_interrupt_inside_node'),
      pace: version === 'v0.7.0' ? 0.1 : 0.02,
    });
    const operation = await submit();
    await expect.poll(() => double.node).toBe('4'); // it is saving
    expect(await engine.cancel(operation)).toBe('unsupported');
    expect(await engine.poll(operation)).toMatchObject({ state: 'running' });
    await until(operation, 'succeeded');
    expect(await engine.cancel(operation)).toBe('unsupported'); // so that the drain polls it and discards it
  });

  test('a cancelled job is removed from the queue, and a repeated cancel returns stopped', async () => {
    double.script = () => ({ run: runOf(version, '14_interrupt_inside_node'), pace: 0.1 });
    const first = await submit();
    const second = await submit();
    await until(first, 'running');
    expect(await engine.poll(second)).toEqual({ state: 'waiting' });
    expect(await engine.cancel(second)).toBe('stopped');
    expect(await engine.cancel(second)).toBe('stopped');
    expect(await engine.poll(second)).toEqual({ state: 'lost' });
    expect(await engine.poll(first)).toMatchObject({ state: 'running' });
  });

  test('a cancel of a job that the server never received does not return stopped', async () => {
    const operation = engine.operationFor('never-came');
    expect(operation && (await engine.cancel(operation))).toBe('unsupported');
  });

  test('after a kill and a restart jobs are lost, their cancel does not return stopped, and the socket reopens', async () => {
    double.script = () => ({ run: runOf(version, '14_interrupt_inside_node'), pace: 0.1 });
    const running = await submit();
    const waiting = await submit();
    await until(running, 'running');
    await double.kill();
    await expect(engine.poll(running)).rejects.toThrow(Error);
    await double.start();
    for (const operation of [running, waiting]) {
      expect(await engine.poll(operation)).toEqual({ state: 'lost' });
      expect(await engine.cancel(operation)).toBe('unsupported');
    }
    double.script = () => ({ run: runOf(version, '01_t2v'), pace: 5 });
    const next = await submit();
    expect((await until(next, 'succeeded')).some((percent) => percent > 0)).toBe(true);
  });

  test('a success message on the socket does not end a job before the job is in the history', async () => {
    const history = Promise.withResolvers<void>();
    double.historyOpened = history.promise;
    const operation = await submit();
    await expect.poll(() => engine.poll(operation)).toEqual({ state: 'running', progress: 100 });
    history.resolve();
    await until(operation, 'succeeded');
  });

  test.each([['unknown node'], ['missing required link input'], ['wrong type'], ['value bigger than max']])(
    'a submit throws InputRejected if the server refuses the graph (%s)',
    async (note) => {
      double.nextPrompt = exchangeOf(version, '20_invalid_graphs', note);
      expect(double.nextPrompt.status).toBe(400);
      const job = request();
      await expect(engine.submit(job, neverAborted)).rejects.toThrow(InputRejected);
      expect(await engine.poll(engine.operationFor(job.jobId) ?? {})).toEqual({ state: 'lost' });
    },
  );

  test('a graph that the server accepts only in part is stopped, and its submit throws InputRejected', async () => {
    double.script = () => ({ run: runOf(version, '14_interrupt_inside_node'), pace: 0.05 });
    double.nextPrompt = exchangeOf(version, '20_invalid_graphs', 'two outputs, one invalid (partial)');
    expect(double.nextPrompt.status).toBe(200);
    const job = request();
    await expect(engine.submit(job, neverAborted)).rejects.toThrow(InputRejected);
    expect(await engine.poll(engine.operationFor(job.jobId) ?? {})).toEqual({ state: 'lost' });
  });

  test('a server error after a submit is neither SubmitRefused nor InputRejected, because the job may run', async () => {
    double.nextPrompt = exchangeOf(version, '20_invalid_graphs', 'body not json');
    const error = await submit().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(SubmitRefused);
    expect(error).not.toBeInstanceOf(InputRejected);
  });

  test('a job that is submitted again is queried first, so it is sent once', async () => {
    const job = request();
    const operation = await engine.submit(job, neverAborted);
    expect(await engine.submit(job, neverAborted)).toEqual(operation);
    await until(operation, 'succeeded');
    expect(await engine.submit(job, neverAborted)).toEqual(operation);
    expect(submitted()).toHaveLength(1);
  });

  test('a size or length that ComfyUI would silently change is rejected before anything is sent', async () => {
    await use({ ...recordedTemplate(version, '40_wan_t2v'), grid: 16, frameStep: 4 });
    for (const overrides of [{ width: 120 }, { height: 120 }, { frameCount: 16 }]) {
      await expect(submit({ ...overrides })).rejects.toThrow(InputRejected);
    }
    await expect(submit({ image: new Uint8Array(1) })).rejects.toThrow(InputRejected); // no template for images
    await expect(submit({ parameters: { setps: 4 } })).rejects.toThrow(/"setps"/);
    expect(double.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  test('a socket that breaks or never opens costs a job at most its progress', async () => {
    double.script = () => ({ run: runOf(version, '01_t2v'), pace: 4 });
    const broken = await submit();
    double.refusesSockets = true;
    for (const socket of double.sockets()) socket.destroy();
    await until(broken, 'succeeded');
    const blind = await submit();
    await until(blind, 'running');
    expect(await engine.poll(blind)).toEqual({ state: 'running', progress: null });
    await until(blind, 'succeeded');
  });

  test('the progress of a job that another process submitted is unknown', async () => {
    double.script = () => ({ run: runOf(version, '01_t2v'), pace: 4 });
    const other = engineWith(recordedTemplate(version, '01_t2v'));
    const operation = await submit();
    await until(operation, 'running');
    expect(await other.poll(operation)).toEqual({ state: 'running', progress: null });
    await other.close();
  });

  test('a file of another job is not fetched', async () => {
    const file = { filename: `${randomUUID()}_00001_.mp4`, subfolder: 'kinora', type: 'output' };
    double.changeOutputs = (outputs) =>
      Object.fromEntries(Object.keys(outputs).map((node) => [node, { images: [file] }]));
    const operation = await submit();
    await until(operation, 'succeeded');
    await expect(engine.fetchOutput(operation)).rejects.toThrow(OutputInvalid);
    expect(double.requests.some(({ path }) => path.startsWith('/view'))).toBe(false);
  });

  test('an endpoint without problems is described with its version', async () => {
    await use(readTemplate('weight-free'));
    const described = { engine: 'comfyui', version: version.slice(1), slots: 1, models: null, problems: [] };
    expect(await engine.describe()).toEqual(described);
  });

  test('a description names the templates that do not fit their use', async () => {
    await use(readTemplate('wan-2.2-image-to-video'), readTemplate('wan-2.2-text-to-video'));
    const { problems } = await engine.describe();
    expect(problems[0]).toMatch(/cannot serve text to video/);
    expect(problems[1]).toMatch(/cannot serve image to video/);
    await use(null);
    expect((await engine.describe()).problems[0]).toMatch(/no template/);
  });
});

describe('with responses that only ComfyUI v0.33.0 was recorded with', () => {
  let double: ComfyDouble;
  let engine: Engine;

  beforeEach(async () => {
    double = await startComfyDouble('v0.33.0', video);
    const imageToVideo = recordedTemplate('v0.33.0', '04_i2v');
    const templates = { textToVideo: recordedTemplate('v0.33.0', '01_t2v'), imageToVideo };
    engine = createComfyEngine({ url: double.url, token: null, slots: 1, templates });
  });
  afterEach(async () => {
    await engine.close();
    await double.kill();
  });

  test('an image is uploaded under a unique name, and the graph uses the name that the server returned', async () => {
    double.script = () => ({ run: runOf('v0.33.0', '04_i2v'), pace: 1 });
    const image = Buffer.from('89504e470d0a1a0a', 'hex');
    const operation = await engine.submit(request({ image }), neverAborted);
    await expect.poll(() => engine.poll(operation)).toEqual({ state: 'succeeded' });
    const upload = double.requests.find(({ path }) => path === '/upload/image');
    expect(upload?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(upload?.body.includes(image)).toBe(true);
    const prompt = double.requests.find(({ method, path }) => method === 'POST' && path === '/prompt');
    expect(JSON.parse(String(prompt?.body)).prompt['1'].inputs.image).toBe(`kinora/${operation['promptId']}.png`);
  });

  test('a submit throws InputRejected if the image is too large for the server', async () => {
    double.nextUpload = exchangeOf('v0.33.0', '20_invalid_graphs', '101 MiB upload (limit 100 MB)');
    const image = new Uint8Array(8);
    await expect(engine.submit(request({ image }), neverAborted)).rejects.toThrow(InputRejected);
  });

  test('previews and invalid messages on the socket change nothing, and a message that is too large only closes it', async () => {
    double.script = () => ({ run: runOf('v0.33.0', '01_t2v'), pace: 20 });
    const operation = await engine.submit(request(), neverAborted);
    const promptId = operation['promptId'];
    for (const socket of double.sockets()) {
      socket.sendBinary(Buffer.alloc(49_368, '00000001ffd8', 'hex')); // as recorded with previews
      for (const text of ['', 'null', '[]', '{"type":"progress","data":null}']) socket.sendText(text);
      const hostile = { 1: { value: -5, max: 1 }, 2: { value: 'x', max: 0 }, 3: null, __proto__: { value: 9, max: 1 } };
      socket.sendText(JSON.stringify({ type: 'progress_state', data: { prompt_id: promptId, nodes: hostile } }));
      socket.sendText(
        JSON.stringify({ type: 'execution_cached', data: { prompt_id: promptId, nodes: [{}, 'constructor'] } }),
      );
      socket.sendText(JSON.stringify({ type: 'execution_success', data: { prompt_id: promptId } }));
    }
    const state = await engine.poll(operation);
    expect(state).toMatchObject({ state: 'running' });
    const [before] = double.sockets();
    before?.sendText('x'.repeat(5 * 1024 * 1024));
    const hasReplaced = () => double.sockets().length === 1 && double.sockets()[0] !== before;
    await expect.poll(hasReplaced).toBe(true);
    expect(double.sockets()[0]?.clientId).toBe(before?.clientId);
    await expect.poll(() => engine.poll(operation)).toMatchObject({ state: 'running', progress: 75 });
    await expect.poll(() => engine.poll(operation)).toEqual({ state: 'succeeded' });
  });

  test('a poll throws if a 404 is not from ComfyUI itself', async () => {
    const lost = engine.operationFor('a') ?? {};
    expect(await engine.poll(lost)).toEqual({ state: 'lost' });
    const elsewhere = createComfyEngine({
      url: `${double.url}/elsewhere`,
      token: null,
      slots: 1,
      templates: { textToVideo: null, imageToVideo: null },
    });
    await expect(elsewhere.poll(lost)).rejects.toThrow(Error);
    await elsewhere.close();
  });
});
