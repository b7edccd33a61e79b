import { beforeEach, describe, expect, it } from 'vitest';
import { apiKey, clock, events, send } from '../app.fixture.ts';

const manager = { authorization: 'Bearer manager' };
const keyUrl = `/v1/api-keys/${apiKey.id}`;
const json = { ...manager, 'content-type': 'application/json' };
const nowSeconds = () => Math.floor(clock.now().getTime() / 1000);

const create = (payload: string | object) => send({ method: 'POST', url: '/v1/api-keys', headers: json, payload });
const rotate = (payload: string | object) => send({ method: 'POST', url: `${keyUrl}/rotate`, headers: json, payload });

const problems = (response: { json: { error: { details: { param: string; code: string }[] } } }) =>
  response.json.error.details.map(({ param, code }) => `${param} ${code}`);

beforeEach(() => {
  events.length = 0;
});

describe('/v1/api-keys', () => {
  it('never lists the text of a key, and shows it once on creation', async () => {
    const shown = {
      id: apiKey.id,
      object: 'api_key',
      name: 'a key',
      livemode: true,
      scopes: ['videos:read'],
      prefix: 'kin_live_',
      last_four: 'x7Qa',
      created_at: nowSeconds(),
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
      created_by_key_id: null,
    };
    const listed = await send({ url: '/v1/api-keys', headers: manager });
    expect(listed.json).toEqual({
      object: 'list',
      data: [shown],
      first_id: apiKey.id,
      last_id: apiKey.id,
      has_more: false,
    });
    const made = await create({ name: 'a key' });
    expect(made).toMatchObject({ status: 200, json: { ...shown, key: 'kin_live_text' } });
    for (const { headers } of [made, await rotate({})]) expect(headers['cache-control']).toBe('no-store');
  });

  it('needs keys:manage for every operation', async () => {
    for (const [method, url] of [
      ['GET', '/v1/api-keys'],
      ['POST', '/v1/api-keys'],
      ['POST', `${keyUrl}/rotate`],
      ['DELETE', keyUrl],
    ] as const) {
      const response = await send({ method, url, headers: { authorization: 'Bearer good' } });
      expect(response).toMatchObject({ status: 403, json: { error: { code: 'insufficient_scope' } } });
    }
  });

  it('lists every problem of a create at once, and treats null as absent', async () => {
    const response = await create({ scopes: ['videos:read', 'everything'], expires_at: '5', scope: 'x' });
    expect(response).toMatchObject({ status: 400, json: { error: { code: 'missing_parameter' } } });
    expect(problems(response).sort()).toEqual([
      'expires_at wrong_type',
      'name missing',
      'scope unknown',
      'scopes.1 not_allowed',
    ]);
    expect(await create({ name: 'x', scopes: null, expires_at: null })).toMatchObject({ status: 200 });
  });

  it.each([
    [
      'an unknown field, because a misspelled scopes would create a key with every scope',
      { name: 'x', scope: ['a'] },
      'scope unknown',
    ],
    ['no scope at all', { name: 'x', scopes: [] }, 'scopes too_short'],
    ['scopes that are not a list', { name: 'x', scopes: 'videos:read' }, 'scopes wrong_type'],
    ['a scope that is not a string', { name: 'x', scopes: [1] }, 'scopes.0 wrong_type'],
    ['an empty name', { name: '' }, 'name too_short'],
    ['a name that is too long', { name: 'x'.repeat(101) }, 'name too_long'],
    ['a name with NUL', { name: 'a\0b' }, 'name malformed'],
    ['an expiry in the past', { name: 'x', expires_at: 1000 }, 'expires_at too_small'],
    ['an expiry in milliseconds', { name: 'x', expires_at: 1_900_000_000_000 }, 'expires_at too_big'],
  ])('refuses %s', async (_, body, problem) => {
    const response = await create(body);
    expect(response.status).toBe(400);
    expect(problems(response)).toEqual([problem]);
  });

  it.each(['[]', '"a"', '5', 'null', ''])('refuses a body that is not an object: %s', async (payload) => {
    expect((await create(payload)).status).toBe(400);
  });

  it('rotates with an overlap of a day by default and of a week at most', async () => {
    expect((await send({ method: 'POST', url: `${keyUrl}/rotate`, headers: manager })).status).toBe(200);
    expect((await rotate({})).status).toBe(200);
    expect((await rotate({ overlap_seconds: 0 })).status).toBe(200);
    expect(events.filter((event) => event.startsWith('rotated'))).toEqual([
      'rotated with 86400',
      'rotated with 86400',
      'rotated with 0',
    ]);
    for (const overlap of [-1, 604_801, 1.5, '60']) {
      expect((await rotate({ overlap_seconds: overlap })).status).toBe(400);
    }
  });

  it('returns the id of a revoked key, and 404 for a key that does not exist', async () => {
    expect(await send({ method: 'DELETE', url: keyUrl, headers: manager })).toMatchObject({
      status: 200,
      json: { id: apiKey.id, object: 'api_key.deleted', deleted: true },
    });
    for (const id of ['key_1', '%00', 'x'.repeat(500)]) {
      const response = await send({ method: 'DELETE', url: `/v1/api-keys/${id}`, headers: manager });
      expect(response).toMatchObject({ status: 404, json: { error: { code: 'not_found' } } });
    }
  });

  it('refuses invalid limits and orders of a list', async () => {
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'order=up', 'limit=1&limit=2']) {
      expect((await send({ url: `/v1/api-keys?${query}`, headers: manager })).status).toBe(400);
    }
    expect((await send({ url: '/v1/api-keys?limit=100&order=asc', headers: manager })).status).toBe(200);
  });
});

describe('directives in a prompt', () => {
  const prompt = '[[fail:nonsense]] a cat';
  const generate = (key: string) =>
    send({
      method: 'POST',
      url: '/v1/videos/text-to-video',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      payload: { prompt },
    });

  it('are checked in test mode, with the allowed codes in the error, and are plain text in live mode', async () => {
    const refused = await generate('tester');
    expect(refused).toMatchObject({ status: 400, json: { error: { code: 'invalid_parameter', param: 'prompt' } } });
    expect(refused.json.error.details[0].allowed).toContain('engine_crashed');
    expect((await generate('good')).status).toBe(200);
  });
});
