import { randomUUID } from 'node:crypto';
import type { Limits } from '@kinora/sdk';
import { type ApiResponse, type ErrorBody } from '@kinora/stack/harness/api-client';
import { eventually } from '@kinora/stack/harness/eventually';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { beforeAll, describe, expect, test } from 'vitest';
import { readOpenapi } from './described-responses.ts';
import { clientFor, createKey, type OwnProject, ownProject } from './own-project.ts';

const textToVideo = '/v1/videos/text-to-video';
const small = { prompt: 'A kite above the sea', ...smallestVideo };

const limitsOf = async ({ client }: Pick<OwnProject, 'client'>) => (await client.get<Limits>('/v1/limits')).body;

/** Reads the RateLimit header: per limit, the requests left (`r`) and the seconds until it is full again (`t`). */
function rates({ headers }: ApiResponse<unknown>): Record<string, { r: number; t: number }> {
  const items = [...(headers.get('ratelimit') ?? '').matchAll(/"(\w+)";r=(\d+);t=(\d+)/g)];
  return Object.fromEntries(items.map(([, name = '', r, t]) => [name, { r: Number(r), t: Number(t) }]));
}

/** Expects that a limit of 1/min accepted `burst` and what it refilled by the service's clock; returns the others. */
function refusedBeyond(burst: number, responses: ApiResponse<ErrorBody>[]): ApiResponse<ErrorBody>[] {
  const times = responses.map(({ headers }) => Date.parse(headers.get('date') ?? ''));
  const refilled = Math.floor(((Math.max(...times) - Math.min(...times)) / 1000 + 1) / 60);
  const accepted = responses.filter(({ status }) => status === 200);
  const over = responses.filter(({ status }) => status === 429);
  expect(accepted.length).toBeGreaterThanOrEqual(burst);
  expect(accepted.length).toBeLessThanOrEqual(burst + refilled);
  expect(over).toHaveLength(responses.length - accepted.length);
  return over;
}

async function refused(own: OwnProject, path: string, body?: unknown): Promise<ApiResponse<ErrorBody>> {
  return body === undefined ? own.client.get<ErrorBody>(path) : own.client.post<ErrorBody>(path, body);
}

describe('creates', () => {
  let own: OwnProject;
  let accepted = 0;
  beforeAll(async () => {
    own = await ownProject('creates', ['--running', '0', '--creates', '1']);
  });

  test('ten creates are accepted at once, and the eleventh response names the limit and the time to wait', async () => {
    const responses = await Promise.all(
      Array.from({ length: 13 }, () => own.client.post<ErrorBody>(textToVideo, small)),
    );
    const over = refusedBeyond(10, responses);
    accepted = responses.length - over.length;
    for (const { body, headers } of over) {
      expect(body.error).toMatchObject({ code: 'rate_limited', type: 'rate_limit_error', retryable: true });
      expect(body.error.message).toContain('Rate limit reached for creates (10 at once, 1 per minute).');
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
      expect(headers.get('x-should-retry')).toBe('true');
      expect(headers.get('x-ratelimit-remaining-requests')).toBe('0');
      expect(headers.get('ratelimit-policy')).toBe('"create";q=1;w=60, "read";q=600;w=60');
    }
  });

  test('a create with an invalid body does not count, and reads are still accepted', async () => {
    const before = await limitsOf(own);
    expect((await own.client.post(textToVideo, { prompt: '' })).status).toBe(400);
    const after = await limitsOf(own);
    expect(after.creates.remaining).toBeGreaterThanOrEqual(before.creates.remaining);
    expect(after.waiting).toEqual({ limit: 100, used: accepted });
  });

  test('live and test mode have separate limits', async () => {
    const live = clientFor((await createKey(own.projectId, '--mode', 'live')).key);
    expect((await live.post(textToVideo, small)).status).toBe(200);
  });

  test('each response shows how many creates are left', async () => {
    const fresh = await ownProject('creates that count', ['--running', '0']);
    const remaining: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      const response = await fresh.client.post(textToVideo, small);
      const { create } = rates(response);
      expect(response.headers.get('x-ratelimit-limit-requests')).toBe('60');
      expect(response.headers.get('x-ratelimit-remaining-requests')).toBe(String(create?.r));
      expect(response.headers.get('x-ratelimit-reset-requests')).toBe(`${create?.t}s`);
      remaining.push(create?.r ?? -1);
    }
    expect(remaining[0]).toBe(9);
    expect(remaining[2]).toBeLessThanOrEqual(9);
    expect(remaining[2]).toBeGreaterThanOrEqual(7);
  });

  test('a replay by Idempotency-Key does not draw on the creation limit', async () => {
    const tight = await ownProject('creates that are replayed', ['--running', '0', '--creates', '1']);
    const key = { 'idempotency-key': randomUUID() };
    const first = await tight.client.post(textToVideo, small, key);
    const { body } = await eventually('a create is refused', async () => {
      const others = Array.from({ length: 12 }, () => tight.client.post<ErrorBody>(textToVideo, small));
      return (await Promise.all(others)).find(({ status }) => status !== 200);
    });
    expect(body.error.code).toBe('rate_limited');
    const replayed = await tight.client.post(textToVideo, small, key);
    expect([replayed.status, replayed.body.task_id]).toEqual([200, first.body.task_id]);
  });
});

describe('reads', () => {
  test("reads over a key's limit are refused, while other keys can still read", async () => {
    const own = await ownProject('reads', ['--running', '0', '--reads', '1']);
    const responses = await Promise.all(Array.from({ length: 8 }, () => own.client.get<ErrorBody>('/v1/limits')));
    const over = refusedBeyond(1, responses);
    for (const { body, headers } of over) {
      expect(body.error.message).toContain('Rate limit reached for reads of this key (1 at once');
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
    const { body } = await eventually('a read of a task is refused', async () => {
      const response = await refused(own, '/v1/videos/task_unknown');
      return response.status !== 404 && response;
    });
    expect(body.error.code).toBe('rate_limited');
    // Creates and other keys have limits of their own.
    expect((await own.client.post(textToVideo, small)).status).toBe(200);
    const other = clientFor((await createKey(own.projectId, '--mode', 'test')).key);
    expect((await other.get('/v1/limits')).status).toBe(200);
  });
});

describe('stored files', () => {
  test('a project that stores as much as it may gets no more tasks and uploads until it deletes something', async () => {
    const own = await ownProject('full', ['--storage', '0.000001']);
    const { task_id: id } = await own.client.create(small);
    expect((await own.client.follow(id)).end.status).toBe('completed');
    const { storage, files } = await limitsOf(own);
    expect(storage.limit_bytes).toBe(1_000);
    expect(storage.used_bytes).toBeGreaterThan(1_000);
    expect(files).toEqual({ limit: 10_000, used: 0 });
    const { status, body, headers } = await refused(own, textToVideo, small);
    expect(status).toBe(429);
    expect(body.error).toMatchObject({ code: 'storage_limit_reached', retryable: false });
    expect(body.error.message).toContain('DELETE /v1/videos/{task_id}');
    expect(headers.get('x-should-retry')).toBe('false');
    expect((await own.client.delete(`/v1/videos/${id}`)).status).toBe(200);
    expect((await limitsOf(own)).storage.used_bytes).toBe(0);
    expect((await own.client.post(textToVideo, small)).status).toBe(200);
  });
});

describe('waiting and running tasks', () => {
  test('a create over the limit of waiting tasks is refused and should not be retried at once', async () => {
    const own = await ownProject('waiting', ['--running', '0', '--waiting', '2']);
    for (let count = 0; count < 2; count += 1) expect((await own.client.post(textToVideo, small)).status).toBe(200);
    const { status, body, headers } = await refused(own, textToVideo, small);
    expect(status).toBe(429);
    expect(body.error).toMatchObject({ code: 'too_many_waiting_tasks', retryable: false });
    expect(body.error.message).toContain('Waiting task limit reached for this model (2).');
    expect(headers.get('x-should-retry')).toBe('false');
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(await limitsOf(own)).toMatchObject({
      waiting: { limit: 2, used: 2 },
      waiting_total: { limit: 20, used: 2 },
    });
  });

  test('tasks over the limit of running tasks wait and are not refused', async () => {
    const own = await ownProject('running', ['--running', '1']);
    const tasks = await Promise.all([own.client.create(small), own.client.create(small), own.client.create(small)]);
    const { waiting, running } = await limitsOf(own);
    expect(running.used).toBeLessThanOrEqual(1);
    expect(running.limit).toBe(1);
    expect(waiting.used + running.used).toBeGreaterThan(0);
    const ends = await Promise.all(tasks.map(({ task_id: id }) => own.client.follow(id)));
    expect(ends.map(({ end }) => end.status)).toEqual(['completed', 'completed', 'completed']);
    expect((await limitsOf(own)).running.used).toBe(0);
  });
});

test('GET /v1/limits returns the limits of the project with the fields of the OpenAPI document', async () => {
  const own = await ownProject('limits', ['--running', '3', '--waiting', '44', '--creates', '120', '--reads', '1']);
  const { status, body, headers } = await own.client.get<Limits>('/v1/limits');
  expect(status).toBe(200);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(body).toEqual({
    object: 'limits',
    livemode: false,
    creates: { limit_per_minute: 120, burst: 10, remaining: 10, reset_seconds: 0 },
    reads: { limit_per_minute: 1, burst: 1, remaining: 0, reset_seconds: expect.any(Number) },
    waiting: { limit: 44, used: 0 },
    waiting_total: { limit: 440, used: 0 },
    running: { limit: 3, used: 0 },
    uploads: { limit_per_minute: 120, burst: 120, remaining: 120, reset_seconds: 0 },
    storage: { limit_bytes: 100_000_000_000, used_bytes: 0 },
    files: { limit: 10_000, used: 0 },
  });
  expect(body.reads.reset_seconds).toBeGreaterThanOrEqual(1);
  expect(body.reads.reset_seconds).toBeLessThanOrEqual(60);
  const { components } = await readOpenapi();
  expect(Object.keys(body).sort()).toEqual([...(components.schemas['Limits']?.required ?? [])].sort());
});
