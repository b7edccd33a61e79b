import { beforeEach, describe, expect, it } from 'vitest';
import { auth, listQueries, send, task } from '../app.fixture.ts';

beforeEach(() => {
  listQueries.length = 0;
});

const list = (query: string) => send({ url: `/v1/videos${query}`, headers: auth });

describe('a list of tasks', () => {
  it('returns whole tasks with fresh links, in an envelope with cursors', async () => {
    const { status, json, headers } = await list('');
    expect(status).toBe(200);
    expect(json).toEqual({
      object: 'list',
      data: [expect.objectContaining({ id: task.id, status: 'completed', progress: 100 })],
      first_id: task.id,
      last_id: task.id,
      has_more: true,
    });
    expect(json.data[0].video_url).toContain('signature=');
    expect(headers).toMatchObject({ 'cache-control': 'private, no-cache', 'openai-poll-after-ms': '2000' });
    expect(listQueries).toEqual([{ limit: 20, after: null, order: 'desc', filter: {} }]);
  });

  it('has a cursor even if nothing matches among the tasks that were looked at', async () => {
    const { json } = await list('?q=nothing%20yet');
    expect(json).toEqual({ object: 'list', data: [], first_id: null, last_id: task.id, has_more: true });
  });

  it('reads every parameter, and parses digits as numbers', async () => {
    const query = new URLSearchParams({
      limit: '007',
      after: 'task_1',
      order: 'asc',
      status: 'failed,completed',
      type: 'image_to_video',
      model: 'animatic',
      resolution: '480p',
      aspect_ratio: '21:9',
      key_id: 'key_1',
      created_after: '1794700000',
      created_before: '1794800000',
      q: 'Paper boat',
      'metadata[order]': '42',
      'metadata[__proto__]': 'a b',
    });
    expect((await list(`?${query.toString()}`)).status).toBe(200);
    expect(listQueries).toEqual([
      {
        limit: 7,
        after: 'task_1',
        order: 'asc',
        filter: {
          statuses: ['failed', 'completed'],
          type: 'image_to_video',
          model: 'animatic',
          resolution: '480p',
          aspectRatio: '21:9',
          keyId: 'key_1',
          createdAfter: new Date(1_794_700_000_000),
          createdBefore: new Date(1_794_800_000_000),
          words: 'Paper boat',
          metadata: JSON.parse('{"order": "42", "__proto__": "a b"}'),
        },
      },
    ]);
  });

  it.each(['status=queued,failed', 'status=queued&status=failed', 'status=queued,failed&status=queued'])(
    'takes several statuses as %s',
    async (query) => {
      expect((await list(`?${query}`)).status).toBe(200);
      expect(listQueries[0]?.filter.statuses).toEqual(['queued', 'failed']);
    },
  );

  it('refuses parameters that it does not have, together with all other problems, and suggests the right name', async () => {
    const { status, json } = await list('?statuss=failed&limit=0&before=x');
    expect([status, json.error.code]).toEqual([400, 'invalid_parameter']);
    expect(json.error.details.map(({ message }: { message: string }) => message)).toEqual([
      'limit must be at least 1',
      'statuss is not a known parameter. Did you mean status?',
      expect.stringMatching(/^before is not a known parameter\. This operation takes limit, after, order, status, /),
    ]);
    expect((await list('?__proto__=1')).json.error).toMatchObject({ code: 'unknown_parameter', param: '__proto__' });
    expect(listQueries).toEqual([]);
  });

  it('names unix seconds if a time has another form', async () => {
    const { json } = await list('?created_after=2026-11-15');
    expect(json.error.message).toBe('created_after must be unix seconds, such as 1794700000');
  });

  it('names all problems of a query at once', async () => {
    const { status, json } = await list('?limit=0&order=up&status=done&created_after=-1&created_before=soon&q=');
    expect([status, json.error.code, json.error.param]).toEqual([400, 'invalid_parameter', 'limit']);
    const codes = Object.fromEntries(
      json.error.details.map(({ param, code }: { param: string; code: string }) => [param, code]),
    );
    expect(codes).toEqual({
      limit: 'too_small',
      order: 'not_allowed',
      status: 'not_allowed',
      created_after: 'too_small',
      created_before: 'wrong_type',
      q: 'too_short',
    });
    expect(listQueries).toEqual([]);
  });

  it.each([
    ['limit', 'limit=101'],
    ['limit', 'limit=1.5'],
    ['limit', 'limit=1e1'],
    ['limit', 'limit=%2010'],
    ['limit', 'limit='],
    ['limit', 'limit=99999999999999999999'],
    ['limit', 'limit=1&limit=2'],
    ['status', 'status=queued,done'],
    ['status', 'status='],
    ['status', 'status=queued&status='],
    ['metadata', 'metadata=order'],
    ['metadata', 'metadata[a]=%00'],
    ['metadata', Array.from({ length: 17 }, (_, n) => `metadata[${n}]=a`).join('&')],
    ['metadata[]', 'metadata[]=a'],
    ['metadata[a]', 'metadata[a]=1&metadata[a]=2'],
    ['metadata[a]', `metadata[a]=${'a'.repeat(513)}`],
    ['created_after', 'created_after=253402300800'],
    ['q', 'q=%00'],
    ['q', `q=${'a'.repeat(501)}`],
    ['model', 'model=a%00b'],
    ['after', 'after=%00'],
  ])('refuses an invalid value of %s: %s', async (param, query) => {
    expect(await list(`?${query}`)).toMatchObject({
      status: 400,
      json: { error: { code: 'invalid_parameter', param } },
    });
  });
});

describe('cancel and delete', () => {
  it('cancel and delete need no body, and accept a Content-Type without one', async () => {
    const headers = { ...auth, 'content-type': 'application/json' };
    const url = `/v1/videos/${task.id}`;
    expect(await send({ method: 'DELETE', url, headers })).toMatchObject({
      status: 200,
      json: { id: task.id, object: 'video.deleted', deleted: true },
    });
    for (const payload of [undefined, '{}']) {
      expect(await send({ method: 'POST', url: `${url}/cancel`, headers, ...(payload && { payload }) })).toMatchObject({
        status: 409,
        json: { error: { code: 'task_not_cancellable' } },
      });
    }
    expect((await send({ method: 'POST', url: `${url}/cancel`, headers, payload: '{' })).json.error.code).toBe(
      'invalid_json',
    );
  });

  it('cancel and delete need the scope to write', async () => {
    const reader = { authorization: 'Bearer reader' };
    const url = `/v1/videos/${task.id}`;
    for (const request of [
      { method: 'DELETE', url },
      { method: 'POST', url: `${url}/cancel` },
    ] as const) {
      expect((await send({ ...request, headers: reader })).json.error.code).toBe('insufficient_scope');
    }
    expect((await send({ url: '/v1/videos', headers: reader })).status).toBe(200);
    expect((await send({ url: `${url}/timeline`, headers: reader })).json).toMatchObject({ object: 'video.timeline' });
  });
});
