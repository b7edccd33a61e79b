import { type ApiResponse, call, type ErrorBody, type Task } from '@kinora/stack/harness/api-client';
import { eventually } from '@kinora/stack/harness/eventually';
import { describe, expect, inject, test } from 'vitest';
import { describedResponses, readOpenapi } from './described-responses.ts';
import { clientFor, ownProject } from './own-project.ts';
import { unsigned } from './unsigned.ts';

const { url, waitingKey } = inject('world');
const textToVideo = '/v1/videos/text-to-video';
const imageToVideo = '/v1/videos/image-to-video';
const prompt = 'A paper boat drifts down a street';

/** Its tasks never start, so accepted requests cost no rendering. */
const waiting = clientFor(waitingKey);
const described = await describedResponses();

const create = (body: unknown, headers?: Record<string, string>, path = textToVideo) =>
  waiting.post(path, body, headers);
const refuse = (body: unknown, headers?: Record<string, string>, path = textToVideo) =>
  waiting.post<ErrorBody>(path, body, headers);

/** Returns the error of a response, and checks that the response has the shape that the contract promises. */
function errorOf(response: ApiResponse<ErrorBody>): ErrorBody['error'] & { status: number } {
  described.expectError(response.body);
  expect(response.body.request_id).toBe(response.headers.get('x-request-id'));
  expect(response.headers.get('content-type')).toContain('application/json');
  expect(response.headers.get('x-should-retry')).toBe(String(response.body.error.retryable));
  return { ...response.body.error, status: response.status };
}

describe('the response to a create', () => {
  test('the response to a create is the whole task, with every default filled in', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { status, headers, body: task } = await create({ prompt });
    expect(status).toBe(200);
    described.expectTask(task);
    expect(task).toMatchObject({
      object: 'video',
      type: 'text_to_video',
      livemode: false,
      status: 'queued',
      is_final: false,
      stage: 'waiting',
      progress: 0,
      progress_source: 'none',
      model: 'animatic',
      prompt,
      negative_prompt: null,
      resolution: '720p',
      aspect_ratio: '16:9',
      duration: 5,
      seconds: '5',
      size: '1280x720',
      image: null,
      started_at: null,
      completed_at: null,
      expires_at: null,
      video_url: null,
      video: null,
      error: null,
      usage: null,
      attempt: 1,
      warnings: [],
      metadata: {},
    });
    expect(task.task_id).toMatch(/^task_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(task.id).toBe(task.task_id);
    expect(task.seed).toBeGreaterThanOrEqual(0);
    expect(task.seed).toBeLessThan(2 ** 32);
    expect(task.created_at).toBeGreaterThanOrEqual(before);
    expect(task.created_at).toBeLessThanOrEqual(Date.now() / 1000);
    expect(task.poll_after_ms).toBeGreaterThanOrEqual(2000);
    expect(headers.get('openai-poll-after-ms')).toBe(String(task.poll_after_ms));
  });

  test('a GET returns the same task as the create; a conditional GET gets 304 while nothing has changed', async () => {
    const { body: created } = await create({ prompt, metadata: { order: '42' }, seed: 7 });
    const read = await waiting.get(`/v1/videos/${created.task_id}`);
    expect(read.status).toBe(200);
    described.expectTask(read.body);
    const comparable = (task: Task) => JSON.parse(unsigned(JSON.stringify({ ...task, poll_after_ms: 0 })));
    expect(comparable(read.body)).toEqual(comparable(created));
    expect(read.headers.get('cache-control')).toBe('private, no-cache');
    const known = { 'if-none-match': read.headers.get('etag') ?? '' };
    const conditional = await waiting.fetch(`/v1/videos/${created.task_id}`, { headers: known });
    expect(conditional.status).toBe(304);
  });

  test('a create returns the fields of the request: trimmed but never cut, null as absent, 9.0 as 9, seed -1 as a random seed', async () => {
    const emoji = '🎬'.repeat(2000);
    const sent = {
      prompt: `  ${emoji}\n`,
      resolution: '1080p',
      aspect_ratio: '21:9',
      image_url: null,
      seed: -1,
      extra: null,
    };
    const metadata = { a: 'x'.repeat(512), __proto__x: '' };
    const { status, body: task } = await create(
      `${JSON.stringify({ ...sent, metadata }).slice(0, -1)},"duration":9.0}`,
    );
    expect(status).toBe(200);
    expect(task).toMatchObject({ prompt: emoji, size: '2520x1080', duration: 9, seconds: '9', metadata });
    expect(task.warnings).toMatchObject([{ code: 'prompt_not_understood', param: 'prompt' }]);
    expect(task.seed).toBeGreaterThanOrEqual(0);
  });
});

describe('warnings about accepted fields that are not used', () => {
  const warningsOf = ({ warnings }: Task) => warnings.map(({ code, param }) => `${code} ${param}`);

  test('text to video warns about an image and its fit, so that one payload serves both operations', async () => {
    const { status, body } = await create({ prompt, image_url: 'https://example.com/a.jpg', image_fit: 'pad' });
    expect(status).toBe(200);
    expect(warningsOf(body)).toEqual(['ignored_parameter image_url', 'ignored_parameter image_fit']);
  });

  test('a warning names a negative prompt that the model cannot use, or a seed that engines get modulo 2³²', async () => {
    const { body } = await create({ prompt, negative_prompt: 'rain', seed: 2 ** 32 + 5 });
    expect(warningsOf(body)).toEqual(['unsupported_parameter negative_prompt', 'seed_reduced seed']);
    expect(body).toMatchObject({ negative_prompt: 'rain', seed: 2 ** 32 + 5 });
  });

  test('the estimate, the create and every GET warn about words that the built-in engine does not draw', async () => {
    const { body } = await create({ prompt: 'A clockwork dragon by the sea [[delay:1]]' });
    expect(warningsOf(body)).toEqual(['prompt_not_understood prompt']);
    const [{ message } = { message: '' }] = body.warnings;
    expect(message).toMatch(/"clockwork" or "dragon".* the sea\.$/);
    const estimate = await waiting.post('/v1/videos/estimate', { prompt: body.prompt });
    expect(estimate.body.warnings).toEqual(body.warnings);
    expect((await waiting.get(`/v1/videos/${body.task_id}`)).body.warnings).toEqual(body.warnings);
  });

  test('a warning names an unknown field and the nearest known one', async () => {
    const { body } = await create({ prompt, resolutoin: '480p', quality: 'best' });
    expect(body.resolution).toBe('720p');
    expect(warningsOf(body)).toEqual(['unknown_parameter resolutoin', 'unknown_parameter quality']);
    expect(body.warnings[0]?.message).toContain('resolution');
  });

  test('Prefer: handling=strict refuses an unknown field instead of warning', async () => {
    const strict = { prefer: 'handling=strict' };
    const refused = errorOf(await refuse({ prompt, resolutoin: '480p', duration: 0 }, strict));
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.details.map(({ param }) => param)).toEqual(['duration', 'resolutoin']);
    expect(errorOf(await refuse({ prompt, frames: 3 }, strict))).toMatchObject({
      code: 'unknown_parameter',
      param: 'frames',
    });
    const accepted = await create({ prompt }, strict);
    expect(accepted.headers.get('preference-applied')).toContain('handling=strict');
  });
});

describe('validation is strict', () => {
  test('the error lists every problem of a request', async () => {
    const response = await refuse({
      resolution: '4k',
      aspect_ratio: '2:1',
      duration: 11,
      seed: -2,
      model: 'sora-9',
      negative_prompt: 5,
      metadata: { a: 1 },
    });
    const error = errorOf(response);
    expect(error).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      code: 'missing_parameter',
      param: 'prompt',
    });
    const problems = Object.fromEntries(error.details.map((detail) => [detail.param, detail]));
    expect(Object.keys(problems).sort()).toEqual(
      ['prompt', 'resolution', 'aspect_ratio', 'duration', 'seed', 'model', 'negative_prompt', 'metadata.a'].sort(),
    );
    expect(problems['resolution']?.allowed).toEqual(['480p', '720p', '1080p']);
    expect(problems['duration']).toMatchObject({ code: 'too_big', allowed: [1, 10] });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['a number as a string', { duration: '5' }, 'invalid_parameter'],
    ['a fraction', { duration: 1.5 }, 'invalid_parameter'],
    ['zero seconds', { duration: 0 }, 'invalid_parameter'],
    ['eleven seconds', { duration: 11 }, 'invalid_parameter'],
    ['a boolean as a number', { seed: true }, 'invalid_parameter'],
    ['a seed beyond 2⁵³', { seed: 2 ** 53 }, 'invalid_parameter'],
    ['a resolution that does not exist', { resolution: '720P' }, 'invalid_parameter'],
    ['a ratio that does not exist', { aspect_ratio: '16x9' }, 'invalid_parameter'],
    ['a prompt of blanks', { prompt: '  \n' }, 'invalid_parameter'],
    ['a prompt of another type', { prompt: ['a'] }, 'invalid_parameter'],
    ['no prompt', { prompt: null }, 'missing_parameter'],
    ['a prompt of 2001 characters', { prompt: 'x'.repeat(2001) }, 'prompt_too_long'],
    ['a prompt with a NUL', { prompt: 'a\0b' }, 'invalid_parameter'],
    ['a model that does not exist', { model: 'sora-2' }, 'unknown_model'],
    [
      '17 pairs of metadata',
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, ''])) },
      'invalid_parameter',
    ],
    ['a metadata value of 513 characters', { metadata: { a: 'x'.repeat(513) } }, 'invalid_parameter'],
    [
      'metadata over 4 kB',
      { metadata: Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`k${i}`, 'x'.repeat(500)])) },
      'invalid_parameter',
    ],
    ['metadata that is a list', { metadata: ['a'] }, 'invalid_parameter'],
  ])('%s is refused', async (_, fields, code) => {
    const error = errorOf(await refuse({ prompt, ...fields }));
    expect(error).toMatchObject({
      status: 400,
      code,
      param: expect.stringMatching(new RegExp(`^${Object.keys(fields)[0]}`)),
    });
    expect(error.details).toHaveLength(1);
  });

  test('image to video lists a missing image together with the other problems', async () => {
    const error = errorOf(await refuse({ image_fit: 'zoom', duration: 20 }, {}, imageToVideo));
    expect(error.details.map(({ param }) => param).sort()).toEqual(['duration', 'image_fit', 'image_url', 'prompt']);
  });

  test.each(['', 'prompt', '{"prompt":', '[]', '"text"', '7', 'null', '{"prompt":"\\ud800"}'])(
    'the body %s is refused',
    async (body) => {
      const { status, code } = errorOf(await refuse(body));
      expect(status).toBe(400);
      expect(['invalid_json', 'invalid_parameter']).toContain(code);
    },
  );
});

describe('HTTP', () => {
  test('a valid request id of the caller is returned, and an invalid one is replaced', async () => {
    const idOf = async (sent: string) =>
      (await waiting.get('/v1/videos/none', { 'x-request-id': sent })).headers.get('x-request-id');
    expect(await idOf('my-request_1')).toBe('my-request_1');
    expect(await idOf('x'.repeat(64))).toBe('x'.repeat(64));
    for (const sent of ['has spaces', 'x'.repeat(65), 'a;b']) expect(await idOf(sent)).toMatch(/^req_[0-9a-z]{26}$/);
  });

  test('a wrong method gets 405 with Allow, even without a key', async () => {
    const response = await call<ErrorBody>(`${url}${textToVideo}`, { method: 'PUT' });
    expect(errorOf(response)).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(response.headers.get('allow')).toContain('POST');
    const other = await call<ErrorBody>(`${url}/v1/videos/task_1`, { method: 'PATCH' });
    expect(errorOf(other)).toMatchObject({ status: 405 });
    expect(other.headers.get('allow')).toContain('GET');
  });

  test('a path that does not exist gets 404', async () => {
    expect(errorOf(await waiting.get<ErrorBody>('/v1/nothing'))).toMatchObject({
      status: 404,
      code: 'not_found',
    });
  });

  test('a body with a content type other than JSON gets 415', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const error = errorOf(await refuse({ prompt }, { 'content-type': type }));
      expect(error).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    }
    const accepted = await create({ prompt }, { 'content-type': 'application/json; charset=utf-8' });
    expect(accepted.status).toBe(200);
  });

  test('a body over 14 MiB gets 413, and the response arrives although the caller is still sending', async () => {
    const large = JSON.stringify({ prompt, image_url: 'x'.repeat(14 * 1024 * 1024) });
    for (let time = 0; time < 5; time += 1) {
      expect(errorOf(await refuse(large, {}, imageToVideo))).toMatchObject({ status: 413, code: 'payload_too_large' });
    }
    const response = await waiting.fetch(imageToVideo, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      // A stream, so that there is no Content-Length.
      body: new Blob([large]).stream(),
      duplex: 'half',
    });
    const { status, headers } = response;
    expect(errorOf({ status, headers, text: '', body: (await response.json()) as ErrorBody })).toMatchObject({
      status: 413,
      code: 'payload_too_large',
    });
  });

  test('a URL of 9 kB gets 414, and headers of 20 kB get 431', async () => {
    const long = await waiting.get<ErrorBody>(`/v1/videos/${'x'.repeat(9000)}`);
    expect(errorOf(long)).toMatchObject({ status: 414 });
    const heavy = await waiting.get<ErrorBody>('/v1/videos/x', { 'x-heavy': 'x'.repeat(20_000) });
    expect(errorOf(heavy)).toMatchObject({ status: 431 });
  });

  test('/healthz, /readyz, /openapi.json and /docs need no key', async () => {
    expect(await call(`${url}/healthz`)).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await call(`${url}/readyz`)).toMatchObject({ status: 200, body: { status: 'ready' } });
    const { openapi, paths } = await readOpenapi();
    expect(openapi).toMatch(/^3\.1/);
    expect(Object.keys(paths)).toEqual(expect.arrayContaining([textToVideo, imageToVideo, '/v1/videos/{task_id}']));
    const docs = await fetch(`${url}/docs`);
    expect(docs.status).toBe(200);
    expect(docs.headers.get('content-type')).toContain('text/html');
  });
});

describe('limits', () => {
  test('60 creates per minute and 10 at once are allowed; the 11th gets 429 with Retry-After', async () => {
    const { client, set } = await ownProject('too fast', ['--running', '0']);
    const burst = await Promise.all(Array.from({ length: 10 }, () => client.post(textToVideo, { prompt })));
    expect(burst.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    // One more create is allowed per second, so after ten slow ones the next may pass too.
    const response = await eventually('a create is refused', async () => {
      const more = await Promise.all(Array.from({ length: 10 }, () => client.post<ErrorBody>(textToVideo, { prompt })));
      return more.find(({ status }) => status !== 200);
    });
    const shown = (name: string) => response.headers.get(`x-ratelimit-${name}-requests`);
    expect([shown('limit'), shown('burst'), shown('remaining')]).toEqual(['60', '10', '0']);
    expect(errorOf(response)).toMatchObject({
      status: 429,
      code: 'rate_limited',
      type: 'rate_limit_error',
      retryable: true,
    });
    const retryAfter = Number(response.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(retryAfter).toBeLessThanOrEqual(60);
    // Reads have a separate limit, and so has every other project.
    expect((await client.get(`/v1/videos/${burst[0]?.body.task_id}`)).status).toBe(200);
    expect((await create({ prompt })).status).toBe(200);
    await set('--suspend', '--cancel');
  });

  test('one more waiting task than the project allows gets 429 with another code', async () => {
    const { client, set } = await ownProject('too many', ['--running', '0', '--waiting', '3', '--creates', '6000']);
    for (let count = 0; count < 3; count += 1) await client.create({ prompt });
    const response = await client.post<ErrorBody>(textToVideo, { prompt });
    expect(errorOf(response)).toMatchObject({ status: 429, code: 'too_many_waiting_tasks', retryable: false });
    expect(Number(response.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    await set('--suspend', '--cancel');
  });
});
