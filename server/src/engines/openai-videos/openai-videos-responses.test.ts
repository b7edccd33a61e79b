import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../domain/clock.ts';
import { InputRejected, OutputInvalid, SubmitRefused } from '../../errors.ts';
import type { Engine } from '../engine.ts';
import { neverAborted } from '../never-aborted.fixture.ts';
import { createOpenAiVideosEngine } from './openai-videos-engine.ts';
import { tinyRequest } from './openai-videos-request.fixture.ts';
import { sumGauges } from './openai-videos-responses.ts';

interface Recording {
  method: string;
  path: string;
  request: Record<string, unknown> | null;
  status: number;
  body: Record<string, unknown>;
}

const recordings = JSON.parse(readFileSync(new URL('recorded/sglang-0.5.23.json', import.meta.url), 'utf8')) as Record<
  string,
  Recording
>; // the responses of a real server, recorded by us

function recorded(name: string): Recording {
  const recording = recordings[name];
  if (!recording) throw new Error(`there is no recording ${name}`);
  return recording;
}

const request = tinyRequest();

interface ScriptedResponse {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

const responses = new Map<string, ScriptedResponse>();
const requests: { line: string; body: string; authorization: string | undefined }[] = [];
const server = createServer((incoming, reply) => {
  let body = '';
  incoming.setEncoding('utf8');
  incoming.on('data', (chunk: string) => {
    body += chunk;
  });
  incoming.on('end', () => {
    const line = `${incoming.method} ${incoming.url}`;
    requests.push({ line, body, authorization: incoming.headers.authorization });
    const response = responses.get(line);
    if (response) reply.writeHead(response.status, response.headers).end(response.body);
    else incoming.socket.destroy();
  });
});
let engine: Engine;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // listens on TCP
  engine = createOpenAiVideosEngine({
    url,
    token: 'secret',
    slots: 1,
    clock: systemClock,
    dialect: 'sglang',
    model: '/models/tiny-wan/t2v',
  });
});
afterAll(async () => {
  await engine.close();
  server.close();
});
beforeEach(() => {
  responses.clear();
  requests.length = 0;
});

function given(line: string, status: number, body: unknown, headers: Record<string, string> = {}): void {
  responses.set(line, { status, body: typeof body === 'string' ? body : JSON.stringify(body), headers });
}

function replay(name: string, line?: string): Recording {
  const recording = recorded(name);
  given(line ?? `${recording.method} ${recording.path}`, recording.status, recording.body);
  return recording;
}

const submit = () => engine.submit(request, neverAborted);
const operationOf = ({ body }: Recording) => ({ id: String(body['id']) });

describe('with recorded responses of a real SGLang server', () => {
  test('a description has its models and version', async () => {
    replay('03-get-v1-models');
    replay('04-get-server_info');
    replay('01-get-health');
    expect(await engine.describe()).toEqual({
      engine: 'sglang',
      version: '0.5.23',
      slots: 1,
      models: ['/models/tiny-wan/t2v'],
      problems: [],
    });
    expect(await engine.health()).toEqual({ isReady: true });
    expect(requests.every(({ authorization }) => authorization === 'Bearer secret')).toBe(true);
  });

  test('a submit sends fields that the server knows and returns its job', async () => {
    const created = replay('07-create-json');
    expect(await submit()).toEqual(operationOf(created));
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject(created.request ?? {});
  });

  test.each([
    ['07-create-json', { state: 'waiting' }],
    ['08-poll-completed', { state: 'succeeded' }],
    ['42-i2v-poll', { state: 'succeeded' }],
    ['13-poll-bad-size', { state: 'failed', code: 'engine_crashed' }],
  ])('%s is read as a job state', async (name, state) => {
    const recording = recorded(name);
    replay(name, `GET /v1/videos/${operationOf(recording).id}`);
    expect(await engine.poll(operationOf(recording))).toMatchObject(state);
  });

  test('an unknown job is lost, and a missing file throws OutputInvalid', async () => {
    replay('18-get-unknown');
    replay('19-content-unknown');
    expect(await engine.poll({ id: 'nope' })).toEqual({ state: 'lost' });
    await expect(engine.fetchOutput({ id: 'nope' })).rejects.toThrow(OutputInvalid);
    const early = replay('20-content-early');
    const [, id = ''] = /^\/v1\/videos\/(.+)\/content$/.exec(early.path) ?? [];
    await expect(engine.fetchOutput({ id })).rejects.toThrow(OutputInvalid);
  });

  test.each(['14-create-no-prompt', '15-create-bad-type', '44-i2v-no-image'])(
    '%s is read as a rejected input',
    async (name) => {
      replay(name);
      await expect(submit()).rejects.toThrow(InputRejected);
    },
  );

  test('jobsSince returns the listed jobs that are new enough', async () => {
    const list = replay('22-list', 'GET /v1/videos?limit=50&order=desc');
    const ids = (list.body['data'] as { id: string; created_at: number }[]).map(({ id }) => ({ id })); // as recorded
    const madeAt = 1_794_704_970;
    expect(await engine.jobsSince(new Date(madeAt * 1000 + 900))).toEqual(ids);
    expect(await engine.jobsSince(new Date((madeAt + 60) * 1000))).toEqual([]);
  });

  test('a dead scheduler is not ready, refuses new jobs and has failed its job', async () => {
    replay('31-kill9-scheduler-health');
    replay('31-kill9-scheduler-create');
    given('GET /v1/videos/a', 200, { id: 'a', ...recorded('31-kill9-scheduler-job').body });
    expect(await engine.health()).toMatchObject({ isReady: false });
    await expect(submit()).rejects.toThrow(SubmitRefused);
    expect(await engine.poll({ id: 'a' })).toMatchObject({ state: 'failed', code: 'engine_crashed' });
  });

  test('a discard deletes the job in one request', async () => {
    const deleted = replay('23-delete-midrun');
    await engine.discard(operationOf(deleted));
    expect(requests).toHaveLength(1);
  });
});

describe('the adapter of openai-videos checks every response', () => {
  test.each([
    ['nothing', ''],
    ['HTML', '<html>'],
    ['a list', '[]'],
    ['an unknown status', '{"id":"a","status":"done"}'],
    ['a status that is not a text', '{"id":"a","status":["completed"]}'],
    ['another job', '{"id":"b","status":"completed"}'],
    ['far too much', JSON.stringify({ id: 'a', status: 'completed', padding: 'x'.repeat(1_100_000) })],
  ])('a poll throws if the response is %s', async (_name, body) => {
    given('GET /v1/videos/a', 200, body);
    await expect(engine.poll({ id: 'a' })).rejects.toThrow(Error);
  });

  test.each([
    ['-5', null],
    ['0', null],
    ['41.5', 41.5],
    ['100', null],
    ['1e999', null],
    ['"50"', null],
    ['null', null],
  ])('progress %s is read as %s', async (text, progress) => {
    given('GET /v1/videos/a', 200, `{"id":"a","status":"in_progress","progress":${text}}`);
    expect(await engine.poll({ id: 'a' })).toEqual({ state: 'running', progress });
  });

  test('a failed job counts even with an error status, and no other job does', async () => {
    for (const status of [400, 404, 500]) {
      given('GET /v1/videos/a', status, {
        id: 'a',
        status: 'failed',
        error: { code: 500, message: 'CUDA out of memory' },
      });
      expect(await engine.poll({ id: 'a' })).toMatchObject({ state: 'failed', code: 'engine_out_of_memory' });
    }
    given('GET /v1/videos/a', 500, { id: 'a', status: 'completed' });
    await expect(engine.poll({ id: 'a' })).rejects.toThrow('500');
    given('GET /v1/videos/a', 500, { detail: 'failed' });
    await expect(engine.poll({ id: 'a' })).rejects.toThrow('500');
  });

  test('an error text is shortened, and may be missing', async () => {
    given('GET /v1/videos/a', 200, { id: 'a', status: 'failed', error: { message: 'x'.repeat(5_000) } });
    expect(await engine.poll({ id: 'a' })).toMatchObject({ reason: 'x'.repeat(200) });
    given('GET /v1/videos/a', 200, { id: 'a', status: 'failed', error: 7 });
    expect(await engine.poll({ id: 'a' })).toMatchObject({
      code: 'engine_crashed',
      reason: 'the engine gave no reason',
    });
  });

  test.each(['..', '../../metrics', 'a/b', 'a?b', '', 7, null, 'x'.repeat(201)])(
    '%j is not accepted as the id of a job',
    async (id) => {
      given('POST /v1/videos', 200, { id, status: 'queued' });
      const error = await submit().catch((error: unknown) => error);
      expect(error).toBeInstanceOf(Error);
      expect(error).not.toBeInstanceOf(SubmitRefused); // it may well have taken the job
      given('GET /v1/videos?limit=50&order=desc', 200, { data: [{ id, created_at: 1e12 }] });
      expect(await engine.jobsSince(new Date())).toEqual([]);
    },
  );

  test('a redirect is not followed, and a URL in a response is not fetched', async () => {
    given('GET /v1/videos/a', 302, '', { location: '/v1/videos/b' });
    given('GET /v1/videos/a/content', 302, '', { location: '/v1/videos/b/content' });
    await expect(engine.poll({ id: 'a' })).rejects.toThrow('302');
    await expect(engine.fetchOutput({ id: 'a' })).rejects.toThrow(OutputInvalid);
    expect(requests.map(({ line }) => line)).toEqual(['GET /v1/videos/a', 'GET /v1/videos/a/content']);
  });

  test.each([
    [429, SubmitRefused],
    [401, SubmitRefused],
    [404, SubmitRefused],
    [503, SubmitRefused],
    [413, InputRejected],
    [422, InputRejected],
  ])('a submit was certainly not accepted if the response has status %i', async (status, kind) => {
    given('POST /v1/videos', status, { detail: 'no' });
    await expect(submit()).rejects.toThrow(kind);
  });

  test.each([500, 502, 504])('a submit may have been accepted if the response has status %i', async (status) => {
    given('POST /v1/videos', status, { detail: 'no' });
    const error = await submit().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(SubmitRefused);
    expect(error).not.toBeInstanceOf(InputRejected);
  });

  test('a submit whose response is lost does not throw SubmitRefused', async () => {
    const error = await submit().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(SubmitRefused);
  });

  test('names of models are short and without control characters', async () => {
    given('GET /v1/models', 200, { data: [{ id: 'good' }, { id: '\u001B[2J' }, { id: 'x'.repeat(201) }, { id: 7 }] });
    given('GET /server_info', 200, { version: 7 });
    expect(await engine.describe()).toMatchObject({ models: ['good'], version: 'unknown' });
  });
});

describe('the number of unfinished requests by the metrics', () => {
  const names = ['vllm_omni:num_requests_running', 'vllm_omni:num_requests_waiting'];

  test.each([
    ['vllm_omni:num_requests_running{model_name="a"} 2.0\nvllm_omni:num_requests_waiting{model_name="a"} 1.0', 3],
    ['vllm_omni:num_requests_running{model_name="a b} 9"} 0.0\nvllm_omni:num_requests_waiting 0', 0],
    ['vllm_omni:num_requests_running 1 1794704970000', 1],
    ['vllm_omni:num_requests_waiting 0.0', null],
    ['# TYPE vllm_omni:num_requests_running gauge\nvllm:num_requests_running 0.0', null],
    ['vllm_omni:num_requests_running NaN', null],
    ['vllm_omni:num_requests_running -1', null],
    ['', null],
  ])('%j gives %s', (text, sum) => {
    expect(sumGauges(text, names)).toBe(sum);
  });
});
