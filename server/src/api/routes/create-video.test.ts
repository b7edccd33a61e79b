import { describe, expect, it } from 'vitest';
import { cpuMilliseconds } from '../../domain/cpu-time.fixture.ts';
import { auth, create, events, send, task } from '../app.fixture.ts';

const bodyOf = (length: number) => `{"prompt":"a","image_url":"${'x'.repeat(length - 29)}"}`;

describe('the body of a create', () => {
  it('must be JSON in UTF-8', async () => {
    for (const payload of ['{', '', 'undefined', "{'a':1}", '{"prompt":"a"} x']) {
      expect((await create(payload)).json.error).toMatchObject({ code: 'invalid_json', type: 'invalid_request_error' });
    }
    const broken = await send({
      method: 'POST',
      url: '/v1/videos/text-to-video',
      headers: { ...auth, 'content-type': 'application/json' },
      payload: Buffer.from('{"prompt":"\xff"}', 'latin1'),
    });
    expect(broken.json.error.code).toBe('invalid_json');
    expect((await send({ method: 'POST', url: '/v1/videos/text-to-video', headers: auth })).json.error.code).toBe(
      'invalid_json',
    );
    expect((await create('[]')).json.error.code).toBe('invalid_parameter');
  });

  it('must be sent as application/json, in any case, and uncompressed', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'garbage',
    ]) {
      expect(await create('{}', { 'content-type': type })).toMatchObject({
        status: 415,
        json: { error: { code: 'unsupported_media_type' } },
      });
    }
    expect((await create({ prompt: 'a' }, { 'content-type': 'Application/JSON; charset=UTF-8' })).status).toBe(200);
    expect((await create('{}', { 'content-encoding': 'gzip' })).status).toBe(415);
  });

  it('may be up to 14 MiB long', async () => {
    expect((await create(bodyOf(14 * 1024 * 1024))).status).toBe(200);
    expect(await create(bodyOf(14 * 1024 * 1024 + 1))).toMatchObject({
      status: 413,
      json: { error: { code: 'payload_too_large', message: expect.stringContaining('POST /v1/files') } },
    });
  });

  it('is not parsed if it is nothing but brackets or commas', async () => {
    const deep = '['.repeat(3_000_000) + ']'.repeat(3_000_000);
    const started = cpuMilliseconds();
    expect((await create(deep)).status).toBe(413);
    expect((await create(`{"a":[${'1,'.repeat(1_000_000)}1]}`)).status).toBe(413);
    expect(cpuMilliseconds() - started).toBeLessThan(1000);
  });

  it('cannot pollute prototypes with keys such as __proto__ and constructor, nested or not', async () => {
    const { status, json } = await create(
      '{"prompt":"a","__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"a":{"__proto__":null}}',
    );
    expect(status).toBe(200);
    expect(json.task_id).toBe(task.id);
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });

  it('is refused with all of its problems at once', async () => {
    const { status, json, headers } = await create(
      { prompt: '', duration: '5', nonsense: 1 },
      { prefer: 'respond-async, handling=strict' },
    );
    expect([status, headers['x-should-retry']]).toEqual([400, 'false']);
    expect(json.error).toMatchObject({
      type: 'invalid_request_error',
      code: 'invalid_parameter',
      param: 'prompt',
      retryable: false,
    });
    expect(json.error.details.map(({ param }: { param: string }) => param)).toEqual(['prompt', 'duration', 'nonsense']);
  });
});

describe('a create', () => {
  it('returns 200 with the task, and calls onSent only after that', async () => {
    events.length = 0;
    const { status, json, headers } = await create({ prompt: 'a' }, { prefer: 'handling=strict' });
    expect(status).toBe(200);
    expect(json).toMatchObject({ task_id: task.id, object: 'video', poll_after_ms: 2000 });
    expect(headers).toMatchObject({
      'openai-poll-after-ms': '2000',
      'cache-control': 'private, no-cache',
      'preference-applied': 'handling=strict',
    });
    expect(events).toEqual(['committed', 'POST /v1/videos/text-to-video 200', 'sent']);
  });

  it('over the limit gets 429 with the time to wait', async () => {
    const { status, json, headers } = await create({ prompt: 'too many' });
    expect([status, headers['retry-after'], headers['x-should-retry']]).toEqual([429, '12', 'true']);
    expect(json.error).toMatchObject({ type: 'rate_limit_error', code: 'rate_limited', retryable: true });
  });
});
