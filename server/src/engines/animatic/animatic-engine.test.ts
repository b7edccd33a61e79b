import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { boxedChildren } from '@kinora/boxes/boxed-children';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { createCanvas } from '@napi-rs/canvas';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { InputRejected, OutputInvalid, SubmitRefused } from '../../errors.ts';
import { engineContract } from '../engine.contract.ts';
import type { Engine, RenderRequest } from '../engine.ts';
import { neverAborted } from '../never-aborted.fixture.ts';
import { unusedUrl } from '../unused-url.fixture.ts';
import { createAnimaticEngine } from './animatic-engine.ts';

const quick = {
  prompt: 'a paper boat',
  negativePrompt: null,
  seed: 5,
  width: 480,
  height: 272,
  fps: 24,
  frameCount: 24,
};

function request(overrides: Partial<RenderRequest> = {}): RenderRequest {
  return { jobId: randomUUID(), ...quick, image: null, ...overrides };
}

const longRequest = () => request({ width: 1280, height: 720, frameCount: 1200 });

const contractRoot = temporaryFolder('animatic-contract');
engineContract('animatic', async () => {
  let running = await startEngine({ root: contractRoot, port: 0, slots: 2 });
  return {
    engine: createAnimaticEngine({ url: running.url }),
    unreachable: createAnimaticEngine({ url: await unusedUrl() }),
    request,
    longRequest,
    async restart() {
      await running.kill();
      running = await startEngine({ root: contractRoot, port: Number(new URL(running.url).port), slots: 2 });
    },
    capabilities: {
      cancelStops: true,
      remembersCancels: true,
      reportsProgress: true,
      refusesWhenBusy: true,
      ignoresRepeats: true,
    },
    teardown: () => running.kill(),
  };
});

describe('an animatic process', () => {
  const root = temporaryFolder('animatic-process');
  let running: EngineProcess;
  let engine: Engine;

  beforeAll(async () => {
    running = await startEngine({ root, port: 0, slots: 2 });
    engine = createAnimaticEngine({ url: running.url });
  });
  afterAll(async () => {
    await running.kill();
  });

  async function render(job: RenderRequest): Promise<Buffer> {
    const operation = await engine.submit(job, neverAborted);
    await expect.poll(async () => (await engine.poll(operation)).state).toBe('succeeded');
    const bytes = await buffer(await engine.fetchOutput(operation));
    await engine.discard(operation);
    return bytes;
  }

  test('makes the same file for the same input, and a different file for another seed', async () => {
    const first = await render(request());
    expect((await render(request())).equals(first)).toBe(true);
    expect((await render(request({ seed: 6 }))).equals(first)).toBe(false);
  });

  test('makes a video from an image', async () => {
    const image = createCanvas(quick.width, quick.height).toBuffer('image/png');
    expect((await render(request({ image }))).length).toBeGreaterThan(0);
  });

  test.each([
    ['an odd size', { width: 481 }],
    ['no frames', { frameCount: 0 }],
    ['a seed out of range', { seed: 2 ** 32 }],
    ['an image of another size', { image: createCanvas(16, 16).toBuffer('image/png') }],
    ['an image that is not a PNG', { image: Buffer.from('GIF89a'.repeat(20)) }],
  ])('rejects %s before it starts anything', async (_name, overrides) => {
    const before = running.acceptedJobs().length;
    await expect(engine.submit(request(overrides), neverAborted)).rejects.toThrow(InputRejected);
    expect(running.acceptedJobs().length).toBe(before);
  });

  test('reports a job as failed if its image cannot be decoded', async () => {
    const whole = createCanvas(quick.width, quick.height).toBuffer('image/png');
    const image = Buffer.concat([whole.subarray(0, 40), Buffer.alloc(400, 1)]);
    const operation = await engine.submit(request({ image }), neverAborted);
    const failed = { state: 'failed', code: 'engine_crashed', reason: 'the image could not be decoded' };
    await expect.poll(() => engine.poll(operation)).toEqual(failed);
    await engine.discard(operation);
  });

  test('logs that a job was accepted once per job, however often it was submitted', async () => {
    const [job, next] = [longRequest(), longRequest()];
    onTestFinished(async () => {
      for (const { jobId } of [job, next]) await engine.cancel({ jobId });
    });
    const operations = await Promise.all(Array.from({ length: 8 }, () => engine.submit(job, neverAborted)));
    expect(new Set(operations.map(({ jobId }) => jobId))).toEqual(new Set([job.jobId]));
    // Log lines may arrive after the responses, but in order: once the next job's line is here, all of this job's are.
    await engine.submit(next, neverAborted);
    await expect.poll(() => running.acceptedJobs()).toContain(next.jobId);
    expect(running.acceptedJobs().filter((jobId) => jobId === job.jobId)).toEqual([job.jobId]);
  });

  test("responds to a cancel once the job's processes have ended, and keeps none of its files", async () => {
    const operation = await engine.submit(longRequest(), neverAborted);
    await expect.poll(() => engine.poll(operation)).not.toMatchObject({ progress: 0 });
    const children = running.children();
    expect(children.length).toBeGreaterThanOrEqual(2);
    await engine.cancel(operation);
    expect(children.filter(isAlive)).toEqual([]);
    const [folder] = await readdir(root);
    await expect.poll(() => readdir(join(root, folder ?? ''))).toEqual(['compiled']);
  });

  test('leaves no child process running when it is killed', async () => {
    const killed = await startEngine({ root, port: 0, slots: 1 });
    const operation = await createAnimaticEngine({ url: killed.url }).submit(longRequest(), neverAborted);
    expect(operation).toBeDefined();
    await expect.poll(() => killed.children().length).toBeGreaterThanOrEqual(2);
    const children = killed.children();
    await killed.kill();
    await expect.poll(() => children.filter(isAlive)).toEqual([]);
  });
});

describe('the adapter of the animatic checks every response', () => {
  const responses = new Map<string, { status: number; body: string; headers?: Record<string, string> }>();
  let lastBody = '';
  const server = createServer((incoming, reply) => {
    const response = responses.get(`${incoming.method}`);
    let received = '';
    incoming.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
    incoming.on('end', () => {
      lastBody = received;
      if (response) reply.writeHead(response.status, response.headers).end(response.body);
      else incoming.socket.destroy();
    });
  });
  let engine: Engine;

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    engine = createAnimaticEngine({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }); // listens on TCP
  });
  afterAll(() => server.close());

  test.each([
    ['nothing', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['an unknown state', '{"state":"done"}'],
    ['missing progress', '{"state":"running"}'],
    ['progress as text', '{"state":"running","progress":"50"}'],
    ['progress out of range', '{"state":"running","progress":101}'],
    ['far too much', JSON.stringify({ state: 'succeeded', padding: 'x'.repeat(1_100_000) })],
  ])('a poll throws if the response is %s', async (_name, body) => {
    responses.set('GET', { status: 200, body });
    await expect(engine.poll({ jobId: 'a' })).rejects.toThrow(Error);
  });

  test('a failure with an unknown code counts as engine_crashed', async () => {
    responses.set('GET', { status: 200, body: '{"state":"failed","code":"constructor"}' });
    expect(await engine.poll({ jobId: 'a' })).toMatchObject({ state: 'failed', code: 'engine_crashed' });
  });

  test('a redirect is not followed', async () => {
    responses.set('GET', { status: 302, body: '', headers: { location: '/elsewhere' } });
    await expect(engine.poll({ jobId: 'a' })).rejects.toThrow('302');
    await expect(engine.fetchOutput({ jobId: 'a' })).rejects.toThrow('302');
  });

  test('an output that is announced as empty or beyond the limit is refused', async () => {
    responses.set('GET', { status: 200, body: '', headers: { 'content-length': '0' } });
    await expect(engine.fetchOutput({ jobId: 'a' })).rejects.toThrow(OutputInvalid);
    responses.set('GET', { status: 200, body: 'video', headers: { 'content-length': String(2 ** 31 + 1) } });
    await expect(engine.fetchOutput({ jobId: 'a' })).rejects.toThrow(OutputInvalid);
  });

  test('directives are not part of the prompt that is drawn', async () => {
    responses.set('PUT', { status: 201, body: '' });
    await engine.submit(request({ prompt: 'a [[delay:5]] boat' }), neverAborted);
    expect(JSON.parse(lastBody)).toMatchObject({ prompt: 'a   boat' });
  });

  test('a submit whose response is lost does not throw SubmitRefused', async () => {
    responses.delete('PUT');
    const error = await engine.submit(request(), neverAborted).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(SubmitRefused);
  });
});

interface EngineProcess {
  url: string;
  /** Returns the ids in the log lines about accepted jobs. */
  acceptedJobs(): string[];
  /** Returns the process ids of its children. */
  children(): number[];
  /** Kills the process without notice, as a power cut would. */
  kill(): Promise<void>;
}

const programPath = join(import.meta.dirname, '../../../../animatic/src/main.ts');

/** Starts the program as operators do, in a separate process, because the tests kill it. */
async function startEngine(options: { root: string; port: number; slots: number }): Promise<EngineProcess> {
  const child: ChildProcess = spawn(process.execPath, [programPath], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      KINORA_SCRATCH_FOLDER: options.root,
      KINORA_ANIMATIC_PORT: String(options.port),
      KINORA_ANIMATIC_SLOTS: String(options.slots),
    },
  });
  const exited = once(child, 'exit');
  const accepted: string[] = [];
  const listening = Promise.withResolvers<string>();
  void exited.then(() => listening.reject(new Error('the engine process ended before it listened')));
  if (!child.stdout) throw new Error('the engine process has no stdout');
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { event, jobId, url } = JSON.parse(line) as { event: string; jobId: string; url: string }; // our own log
    if (event === 'job.accepted') accepted.push(jobId);
    if (event === 'animatic.listening') listening.resolve(url);
  });
  return {
    url: await listening.promise,
    acceptedJobs: () => accepted,
    children: () => boxedChildren(child.pid ?? 0),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Returns whether a process runs. A zombie, whose parent has not waited for it yet, does not. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
