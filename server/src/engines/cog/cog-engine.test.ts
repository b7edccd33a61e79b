import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { buffer, json } from 'node:stream/consumers';
import { type LoopbackServer, startLoopbackServer } from '@kinora/stack/harness/loopback-server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clockAt } from '../../domain/clock.fixture.ts';
import { InputRejected, OutputInvalid, SubmitRefused } from '../../errors.ts';
import type { Engine, RenderRequest } from '../engine.ts';
import { neverAborted } from '../never-aborted.fixture.ts';
import { type CogReport, createCogEngine } from './cog-engine.ts';
import { readRecorded, recordedExchange } from './cog-recorded.fixture.ts';

// A double replays the recorded responses of a real server 0.23.1; cog-engine.engine.test.ts runs against a real one.

const request: RenderRequest = {
  jobId: 'job-1',
  prompt: 'a cat',
  negativePrompt: null,
  seed: 7,
  width: 64,
  height: 48,
  fps: 16,
  frameCount: 17,
  image: null,
  parameters: { num_inference_steps: 4 },
};
const operation = { jobId: 'job-1' };

type ScriptedResponse = { status: number; body: unknown };
let responses: Map<string, ScriptedResponse[]>;
let requests: { method: string; path: string; headers: IncomingMessage['headers']; body: unknown }[];
let reports: Map<string, CogReport>;
let server: LoopbackServer;
let milliseconds: number;
let engine: Engine;

/** Sets the double's responses to a route: it sends each of them once, and repeats the last one. */
function replay(route: string, ...names: (string | ScriptedResponse)[]): void {
  responses.set(
    route,
    names.map((name) => (typeof name === 'string' ? recordedExchange(name).response : name)),
  );
}

const health = (status: string): ScriptedResponse => ({ status: 200, body: { status } });

function create(options: Partial<Parameters<typeof createCogEngine>[0]> = {}): Engine {
  return createCogEngine({
    url: server.url,
    clock: clockAt(() => new Date(milliseconds)),
    reports: {
      callbackUrlFor: (jobId) => `http://callbacks.test/${jobId}`,
      find: async (jobId) => reports.get(jobId) ?? null,
      read: async (jobId) => (reports.get(jobId)?.state === 'succeeded' ? Readable.from([Buffer.from('video')]) : null),
      forget: async (jobId) => void reports.delete(jobId),
    },
    ...options,
  });
}

beforeEach(async () => {
  responses = new Map();
  requests = [];
  reports = new Map();
  milliseconds = Date.now();
  server = await startLoopbackServer((message, response) => {
    const { method = '', url: path = '', headers } = message;
    const left = responses.get(`${method} ${path}`) ?? [];
    const scripted = left.length > 1 ? left.shift() : left[0];
    void (method === 'PUT' ? json(message) : Promise.resolve(null)).then((body) => {
      requests.push({ method, path, headers, body });
      response.writeHead(scripted?.status ?? 500, { 'content-type': 'application/json' });
      response.end(JSON.stringify(scripted?.body ?? {}));
    });
  });
  engine = create();
});

afterEach(async () => {
  await engine.close();
  await server.close();
});

const submit = (job = request) => engine.submit(job, neverAborted);

describe('a submit to Cog', () => {
  test("sends the prediction once, with the predictor's input names and the callback URL", async () => {
    replay('PUT /predictions/job-1', '13-put-async-accepted');
    const image = Buffer.from('a picture');
    engine = create({ token: 'secret', inputs: { frame_count: 'length', fps: null, negative_prompt: 'avoid' } });
    expect(await submit({ ...request, image, negativePrompt: 'dogs' })).toEqual(operation);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.headers).toMatchObject({ prefer: 'respond-async', authorization: 'Bearer secret' });
    expect(requests[0]?.body).toEqual({
      input: {
        prompt: 'a cat',
        avoid: 'dogs',
        image: `data:image/png;base64,${image.toString('base64')}`,
        width: 64,
        height: 48,
        length: 17,
        seed: 7,
        num_inference_steps: 4,
      },
      webhook: 'http://callbacks.test/job-1',
      webhook_events_filter: ['start', 'logs', 'completed'],
    });
  });

  test('leaves out values that the job does not have, and no parameter overrides the job', async () => {
    replay('PUT /predictions/job-1', '13-put-async-accepted');
    await submit({ ...request, parameters: { width: 1920 } });
    expect(requests[0]?.body).toMatchObject({
      input: { prompt: 'a cat', width: 64, height: 48, num_frames: 17, fps: 16, seed: 7 },
    });
    expect(JSON.stringify(requests[0]?.body)).not.toContain('image');
  });

  test('is retried briefly while the server is busy, then throws SubmitRefused', async () => {
    replay('PUT /predictions/job-1', '17-busy-put-409', '13-put-async-accepted');
    expect(await submit()).toEqual(operation);
    replay('PUT /predictions/job-1', '17-busy-put-409');
    await expect(submit()).rejects.toMatchObject({ name: 'SubmitRefused', kind: 'busy' });
    expect(await engine.poll(operation)).toEqual({ state: 'lost' });
  });

  test('a server that limits its requests is busy, and one that cannot work is unreachable', async () => {
    replay('PUT /predictions/job-1', { status: 429, body: {} });
    await expect(submit()).rejects.toMatchObject({ name: 'SubmitRefused', kind: 'busy' });
    replay('PUT /predictions/job-1', { status: 401, body: {} });
    await expect(submit()).rejects.toMatchObject({ name: 'SubmitRefused', kind: 'unreachable' });
  });

  test('throws InputRejected if the schema forbids the input', async () => {
    replay('PUT /predictions/job-1', '32-schema-validate-missing-prompt');
    await expect(submit()).rejects.toThrow(InputRejected);
  });

  test('throws SubmitRefused if the server failed its setup or responds with 401 or 404', async () => {
    const { request: setupFailed } = readRecorded('44-setup-failed') as { request: { response: ScriptedResponse } };
    for (const scripted of [setupFailed.response, { status: 401, body: {} }, { status: 404, body: {} }]) {
      replay('PUT /predictions/job-1', scripted);
      await expect(submit()).rejects.toThrow(SubmitRefused);
    }
  });

  test.each([
    { status: 500, body: {} },
    { status: 503, body: 'a proxy' },
    { status: 200, body: {} },
    { status: 302, body: {} },
  ])('may have been accepted if the response has status $status', async (scripted) => {
    replay('PUT /predictions/job-1', scripted);
    const error = await submit().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(SubmitRefused);
    expect(error).not.toBeInstanceOf(InputRejected);
    expect(requests).toHaveLength(1);
  });
});

describe('a poll of Cog', () => {
  test('returns what the server reported, without a request to it', async () => {
    reports.set('job-1', { state: 'succeeded' });
    expect(await engine.poll(operation)).toEqual({ state: 'succeeded', isStored: true });
    expect(await buffer(await engine.fetchOutput(operation))).toEqual(Buffer.from('video'));
    reports.set('job-1', { state: 'failed', code: 'engine_out_of_memory', reason: 'no memory' });
    expect(await engine.poll(operation)).toEqual({
      state: 'failed',
      code: 'engine_out_of_memory',
      reason: 'no memory',
    });
    await expect(engine.fetchOutput(operation)).rejects.toThrow(OutputInvalid);
    reports.set('job-1', { state: 'cancelled' });
    expect(await engine.poll(operation)).toEqual({ state: 'lost' });
    expect(requests).toEqual([]);
  });

  test('returns the last reported progress while the server is busy', async () => {
    replay('GET /health-check', '14-health-busy');
    expect(await engine.poll(operation)).toEqual({ state: 'running', progress: null });
    reports.set('job-1', { state: 'running', progress: 40, heardAt: new Date(milliseconds) });
    expect(await engine.poll(operation)).toEqual({ state: 'running', progress: 40 });
  });

  test('returns lost once the server has been idle for ten seconds without reporting an end', async () => {
    reports.set('job-1', { state: 'running', progress: 40, heardAt: new Date(milliseconds) });
    replay('GET /health-check', '02-health-ready');
    expect(await engine.poll(operation)).toEqual({ state: 'running', progress: 40 });
    milliseconds += 9_999;
    expect((await engine.poll(operation)).state).toBe('running');
    milliseconds += 1;
    expect(await engine.poll(operation)).toEqual({ state: 'lost' });
    // A report that arrives late still counts.
    reports.set('job-1', { state: 'succeeded' });
    expect((await engine.poll(operation)).state).toBe('succeeded');
  });

  test('restarts those ten seconds at every report about the job, whose output may still be on its way', async () => {
    replay('GET /health-check', '02-health-ready');
    for (let sign = 0; sign < 5; sign += 1) {
      reports.set('job-1', { state: 'running', progress: 100, heardAt: new Date(milliseconds) });
      expect((await engine.poll(operation)).state).toBe('running');
      milliseconds += 9_000;
    }
    expect((await engine.poll(operation)).state).toBe('running');
    milliseconds += 1_000;
    expect((await engine.poll(operation)).state).toBe('lost');
  });

  test('restarts those ten seconds when the server was busy in between', async () => {
    replay('GET /health-check', '02-health-ready', '14-health-busy', '02-health-ready');
    for (const state of ['running', 'running', 'running']) {
      expect((await engine.poll(operation)).state).toBe(state);
      milliseconds += 9_000;
    }
    expect((await engine.poll(operation)).state).toBe('running');
    milliseconds += 1_000;
    expect((await engine.poll(operation)).state).toBe('lost');
  });

  test('returns lost if the server is starting, and failed if the server is broken', async () => {
    replay('GET /health-check', health('STARTING'));
    expect(await engine.poll(operation)).toEqual({ state: 'lost' });
    for (const status of ['UNHEALTHY', 'DEFUNCT', 'SETUP_FAILED']) {
      replay('GET /health-check', health(status));
      expect(await engine.poll(operation)).toMatchObject({ state: 'failed', code: 'engine_crashed' });
    }
  });

  test.each([
    { status: 500, body: {} },
    { status: 200, body: {} },
    { status: 200, body: null },
    { status: 200, body: { status: 'DANCING' } },
    { status: 302, body: { status: 'READY' } },
  ])('throws if the health check responds with %j', async (scripted) => {
    replay('GET /health-check', scripted);
    await expect(engine.poll(operation)).rejects.toThrow(Error);
    await expect(engine.health()).rejects.toThrow(Error);
  });
});

describe('a cancel at Cog', () => {
  const cancelled: ScriptedResponse = { status: 200, body: {} };

  test('is repeated until the server is idle or has reported the end of the job', async () => {
    replay('POST /predictions/job-1/cancel', cancelled);
    replay('GET /health-check', '14-health-busy', '14-health-busy', '02-health-ready');
    expect(await engine.cancel(operation)).toBe('stopped');
    expect(requests.filter(({ method }) => method === 'POST').length).toBeGreaterThan(1);
    expect(await engine.poll(operation)).toEqual({ state: 'lost' });

    engine = create();
    reports.set('job-1', { state: 'cancelled' });
    replay('GET /health-check', '14-health-busy');
    expect(await engine.cancel(operation)).toBe('stopped');
  });

  test('never returns stopped while the job keeps the server busy', async () => {
    replay('POST /predictions/job-1/cancel', cancelled);
    replay('GET /health-check', '14-health-busy');
    expect(await engine.cancel(operation)).toBe('unsupported');
    expect((await engine.poll(operation)).state).toBe('running');
  });

  test('returns forgotten for a job that the server does not know, whose submit may still be on its way', async () => {
    replay('POST /predictions/job-1/cancel', '22-cancel-unknown');
    for (const status of ['14-health-busy', '02-health-ready']) {
      replay('GET /health-check', status);
      expect(await engine.cancel(operation)).toBe('forgotten');
    }
  });

  test('returns stopped for a job that the server has forgotten but whose end it has reported', async () => {
    replay('POST /predictions/job-1/cancel', '23-cancel-finished');
    reports.set('job-1', { state: 'cancelled' });
    expect(await engine.cancel(operation)).toBe('stopped');
    reports.clear();
    expect(await engine.cancel(operation)).toBe('stopped');
  });

  test('throws if the server fails to respond', async () => {
    replay('POST /predictions/job-1/cancel', { status: 500, body: {} });
    await expect(engine.cancel(operation)).rejects.toThrow(Error);
  });
});

describe('the description of a Cog server', () => {
  test('has the version, and no problems if the server has no schema', async () => {
    replay('GET /', '01-root');
    replay('GET /health-check', '02-health-ready');
    replay('GET /openapi.json', '03-openapi');
    expect(await engine.describe()).toEqual({ engine: 'cog', version: '0.23.1', slots: 1, models: null, problems: [] });
  });

  test('takes the version from the health check if the index has none', async () => {
    replay('GET /', { status: 200, body: {} });
    replay('GET /health-check', '02-health-ready');
    replay('GET /openapi.json', '03-openapi');
    expect(await engine.describe()).toMatchObject({ version: '0.23.1' });
    replay('GET /health-check', health('READY'));
    expect(await engine.describe()).toMatchObject({ version: 'unknown' });
  });

  test('says what to change if the predictor lacks an input or the endpoint has more than one slot', async () => {
    replay('GET /', '01-root');
    replay('GET /health-check', '02-health-ready');
    replay('GET /openapi.json', '31-schema-openapi');
    expect((await engine.describe()).problems).toEqual([
      expect.stringMatching(/has no input "negative_prompt".*set inputs\.negative_prompt .*prompt.*or to null/),
    ]);
    engine = create({ inputs: { negative_prompt: null } });
    expect((await engine.describe()).problems).toEqual([]);
    engine = create({ inputs: { negative_prompt: null }, slots: 2 });
    expect(await engine.describe()).toMatchObject({ slots: 1, problems: [expect.stringContaining('slots')] });
  });
});

test('a Cog server is ready even while it is busy, and otherwise says what is wrong', async () => {
  const { health: setupFailed } = readRecorded('44-setup-failed') as { health: ScriptedResponse };
  const seen = [];
  for (const scripted of ['02-health-ready', '14-health-busy', setupFailed, health('UNHEALTHY'), health('STARTING')]) {
    replay('GET /health-check', scripted);
    seen.push(await engine.health());
  }
  expect(seen).toEqual([
    { isReady: true },
    { isReady: true },
    { isReady: false, reason: expect.stringContaining('setup') },
    { isReady: false, reason: expect.stringContaining('restart') },
    { isReady: false, reason: expect.stringContaining('starting') },
  ]);
});
