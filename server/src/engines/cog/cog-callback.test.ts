import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { cpuMilliseconds } from '../../domain/cpu-time.fixture.ts';
import { measureGrowth } from '../../domain/memory-growth.fixture.ts';
import type { EngineCallback } from '../engine-callback.ts';
import { readCogCallback } from './cog-callback.ts';
import { recordedWebhooks } from './cog-recorded.fixture.ts';

async function read(pieces: Iterable<Buffer>): Promise<{ callback: EngineCallback | null; output: Buffer }> {
  const output: Buffer[] = [];
  const callback = await readCogCallback(
    (async function* () {
      yield* pieces;
    })(),
    async (bytes) => void output.push(bytes),
  );
  return { callback, output: Buffer.concat(output) };
}

const readText = (text: string) => read([Buffer.from(text)]);
const dataUrl = (bytes: Buffer) => `data:video/mp4;base64,${bytes.toString('base64')}`;
const succeeded = (output: unknown) => ({ id: 'job-1', logs: 'x', output, status: 'succeeded' });

describe('a callback of Cog', () => {
  test('reads the same however its bytes are cut into chunks', async () => {
    const video = randomBytes(23);
    const bodies = [
      JSON.stringify({ ...succeeded(dataUrl(video)), logs: 'a\r\n"ü\\ 3/4', metrics: { a: [1, '}"', null] } }),
      JSON.stringify(succeeded([dataUrl(video)]), null, 1),
      JSON.stringify(succeeded(dataUrl(video)))
        .replaceAll('/', '\\/')
        .replaceAll('b', '\\u0062'),
    ];
    for (const body of bodies) {
      const whole = Buffer.from(body);
      for (let first = 0; first <= whole.length; first += 1) {
        for (const second of [first, first + 1, first + 7, whole.length]) {
          const pieces = [whole.subarray(0, first), whole.subarray(first, second), whole.subarray(second)];
          const { callback, output } = await read(pieces);
          expect(callback).toEqual({ jobId: 'job-1', report: { state: 'succeeded', output: 'passed-on' } });
          expect(output.equals(video)).toBe(true);
        }
      }
      const { callback, output } = await read([...whole].map((byte) => Buffer.of(byte)));
      expect(callback?.report.state).toBe('succeeded');
      expect(output.equals(video)).toBe(true);
    }
  });

  test('may carry the output as a URL', async () => {
    for (const url of ['http://127.0.0.1:5595/up/out.mp4', 'https://files.example/a,b?c=d']) {
      for (const output of [url, [url]]) {
        const { callback } = await readText(JSON.stringify(succeeded(output)));
        expect(callback?.report).toEqual({ state: 'succeeded', output: { url } });
      }
    }
  });

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['an empty string', ''],
    ['an empty list', []],
    ['a list of two', [dataUrl(Buffer.from('one')), dataUrl(Buffer.from('two'))]],
    ['an object', { video: dataUrl(Buffer.from('one')) }],
    ['a list in a list', [[dataUrl(Buffer.from('one'))]]],
    ['a number', 7],
    ['text', 'a video'],
    ['a URL of another scheme', 'file:///etc/passwd'],
    ['an endless URL', `https://${'a'.repeat(5000)}`],
    ['a data URL without base64', 'data:text/plain,abcd'],
    ['a data URL with an endless type', `data:${'a'.repeat(300)};base64,AAAA`],
    ['an empty file', 'data:video/mp4;base64,'],
    ['base64 that breaks off', 'data:video/mp4;base64,AAAAA'],
    ['base64 with a hole', 'data:video/mp4;base64,AAAA AAAA'],
    ['base64 after its end', 'data:video/mp4;base64,AA==AAAA'],
    ['base64 that is all padding', 'data:video/mp4;base64,===='],
  ])('a callback that reports success with %s as its output counts as failed', async (_name, output) => {
    const body = Buffer.from(JSON.stringify(succeeded(output)));
    for (const pieces of [[body], [...body].map((byte) => Buffer.of(byte))]) {
      const { callback } = await read(pieces);
      expect(callback?.report).toMatchObject({ state: 'failed', code: 'output_invalid' });
    }
  });

  test.each([
    '',
    'null',
    '[]',
    '<html>busy</html>',
    '{',
    '{}',
    '{"id":"job-1"}',
    '{"status":"succeeded"}',
    '{"id":"job-1","status":"succeeded"',
    '{"id":"job-1","status":"succeeded"}}',
    '{"id":"job-1","status":"succeeded"} {}',
    '{"id":"job-1","status":"succeeded",}',
    '{"id":"job-1" "status":"succeeded"}',
    '{"id":"job-1","status":"failed","status":"succeeded"}',
    '{"id":"job-1","id":"job-2","status":"failed"}',
    '{"id":"job-1","status":}',
    '{"id":"job-1","status":nil}',
    '{"id":"job-1","status":"sleeping"}',
    '{"id":7,"status":"failed"}',
    '{"id":"job-1\\x","status":"failed"}',
    '{"id":"job-1\\u12","status":"failed"}',
    "{'id':'job-1','status':'failed'}",
  ])('is null if the body is %j', async (body) => {
    expect((await readText(body)).callback).toBeNull();
    expect((await read([...Buffer.from(body)].map((byte) => Buffer.of(byte)))).callback).toBeNull();
  });

  test('has the progress of the last step in the logs, of which only the end is kept', async () => {
    const bar = (done: number) => `\r ${done}%|█▏   | ${done * 2}/200 [00:00<00:05, 35.21it/s]`;
    const running = (logs: string) =>
      readText(JSON.stringify({ id: 'job-1', logs, metrics: {}, status: 'processing' }));
    for (const [logs, progress] of [
      ['', null],
      ['Using seed: 42\n', null],
      ['no step 0/0', null],
      ['step 3/4', 75],
      ['\r  7%|▋', 7],
      [bar(12) + bar(13), 13],
      [`${bar(50)} on 11/2`, 50],
      [bar(1) + bar(2).repeat(100_000) + bar(90), 90],
    ] as const) {
      expect((await running(logs)).callback?.report).toEqual({ state: 'running', progress });
    }
  });

  test('has a failure code by its error text, and a reason without the prefixes of Cog', async () => {
    const failed = async (error: unknown) =>
      (await readText(JSON.stringify({ error, id: 'job-1', status: 'failed' }))).callback?.report;
    expect(await failed('Prediction failed: Prediction failed: ValueError: no')).toEqual({
      state: 'failed',
      code: 'engine_crashed',
      reason: 'ValueError: no',
    });
    expect(await failed('Prediction failed: torch.OutOfMemoryError: CUDA out of memory.')).toMatchObject({
      code: 'engine_out_of_memory',
    });
    expect(await failed('Input validation error: cannot identify image file')).toMatchObject({
      code: 'engine_rejected_input',
    });
    expect(await failed(null)).toMatchObject({ code: 'engine_crashed', reason: 'the engine gave no reason' });
    expect(await failed('e'.repeat(100_000))).toMatchObject({ reason: 'e'.repeat(200) });
  });

  test('a callback of 100 MB is read in little memory', async () => {
    const block = randomBytes(3 * 16 * 1024);
    const encoded = Buffer.from(block.toString('base64'));
    const blocks = 1600;
    const boundMegabytes = 64;
    const grownMegabytes = measureGrowth(boundMegabytes);
    let mostMegabytes = 0;
    let outputBytes = 0;
    const callback = await readCogCallback(
      (async function* () {
        yield Buffer.from('{"id":"job-1","logs":"","output":"data:video/mp4;base64,');
        for (let count = 0; count < blocks; count += 1) yield Buffer.from(encoded);
        yield Buffer.from('","status":"succeeded"}');
      })(),
      async (bytes) => {
        outputBytes += bytes.length;
        mostMegabytes = Math.max(mostMegabytes, grownMegabytes());
      },
    );
    expect(callback?.report).toEqual({ state: 'succeeded', output: 'passed-on' });
    expect(outputBytes).toBe(blocks * block.length);
    expect(blocks * encoded.length).toBeGreaterThan(100_000_000);
    expect(mostMegabytes).toBeLessThan(boundMegabytes);
  });

  test('a callback that is full of escapes is read in time proportional to its length', async () => {
    const startedAt = cpuMilliseconds();
    const { callback } = await readText(`{"id":"job-1","logs":"${'\\r'.repeat(2_000_000)} 1/2","status":"processing"}`);
    expect(callback?.report).toEqual({ state: 'running', progress: 50 });
    expect(cpuMilliseconds() - startedAt).toBeLessThan(5_000);
  });

  test('recorded from a real server is understood, from start to end', async () => {
    const deliveries = recordedWebhooks('19-webhooks-async')
      .map((body) => JSON.stringify(body).replaceAll(/<BASE64 [^>]*>/g, 'AAAA'))
      .map(readText);
    expect((await Promise.all(deliveries)).map(({ callback }) => callback?.report)).toEqual([
      { state: 'running', progress: null },
      { state: 'running', progress: 40 },
      { state: 'running', progress: 80 },
      { state: 'running', progress: 100 },
      { state: 'succeeded', output: 'passed-on' },
    ]);
    const crashed = await readText(JSON.stringify(recordedWebhooks('39-kill9-worker').at(-1)));
    expect(crashed.callback?.report).toEqual({ state: 'failed', code: 'engine_crashed', reason: 'Worker crashed' });
    const cancelled = await readText(JSON.stringify(recordedWebhooks('21-cancel-midrun').at(-1)));
    expect(cancelled.callback?.report).toEqual({ state: 'cancelled' });
  });
});
