import { describe, expect, it } from 'vitest';
import { send } from '../app.fixture.ts';
import { delivery, endpoint } from '../webhooks.fixture.ts';

const authorization = { authorization: 'Bearer hooks' };
const request = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
  send({ method, url, headers: authorization, ...(payload === undefined ? {} : { payload }) });
const problems = async (method: 'POST' | 'PATCH', url: string, payload: object) => {
  const { status, json } = await request(method, url, payload);
  return [
    status,
    ...json.error.details.map((detail: { param: string; code: string }) => `${detail.param} ${detail.code}`),
  ];
};
const path = `/v1/webhook-endpoints/${endpoint.id}`;

describe('the routes of webhook endpoints', () => {
  it('show the secret when it is created or rotated, and never otherwise', async () => {
    const made = await request('POST', '/v1/webhook-endpoints', {
      url: 'https://a.example/',
      events: ['video.failed'],
    });
    expect(made.json).toMatchObject({ object: 'webhook_endpoint', status: 'enabled', secret: 'whsec_c2VjcmV0' });
    const rotated = await request('POST', `${path}/rotate-secret`);
    expect(rotated.json.secret).toBe('whsec_bmV3');
    for (const { headers } of [made, rotated]) expect(headers['cache-control']).toBe('no-store');
    const others = [
      await request('GET', path),
      await request('PATCH', path, {}),
      await request('GET', '/v1/webhook-endpoints'),
    ];
    for (const { status, body } of others) {
      expect(status).toBe(200);
      expect(body).not.toContain('whsec_');
    }
  });

  it('do not mistake callback-secret for an id', async () => {
    const secret = await request('GET', '/v1/webhook-endpoints/callback-secret');
    expect(secret.json).toEqual({
      object: 'callback_secret',
      livemode: true,
      secret: 'whsec_c2VjcmV0',
      previous_expires_at: null,
      created_at: 1794744000,
    });
    expect(secret.headers['cache-control']).toBe('no-store');
    const rotated = await request('POST', '/v1/webhook-endpoints/callback-secret/rotate', { overlap_seconds: 0 });
    expect(rotated.json).toMatchObject({ secret: 'whsec_bmV3', previous_expires_at: 1794744000 });
  });

  it('refuse a URL that can never be called, an unknown field and an overlap of more than a week', async () => {
    expect(await problems('POST', '/v1/webhook-endpoints', { url: 'http://a.example/' })).toEqual([
      400,
      'url not_allowed',
    ]);
    const long = `https://a.example/${'x'.repeat(2048)}`;
    expect(await problems('POST', '/v1/webhook-endpoints', { url: long })).toEqual([400, 'url too_long']);
    expect(await problems('PATCH', path, { url: 'http://a.example/' })).toEqual([400, 'url not_allowed']);
    expect(await problems('PATCH', path, { enabled: true })).toEqual([400, 'enabled unknown']);
    expect((await request('PATCH', path, { enabled: true })).json.error.message).toBe(
      'enabled is not a known parameter. Did you mean status, which is one of enabled, disabled?',
    );
    expect((await request('PATCH', path, { colour: 'red' })).json.error.message).toBe(
      'colour is not a known parameter. This operation takes url, description, events, status.',
    );
    expect(await problems('POST', `${path}/rotate-secret`, { overlap_seconds: 604_801 })).toEqual([
      400,
      'overlap_seconds too_big',
    ]);
  });

  it('return 404 for a malformed id as for an unknown one', async () => {
    const responses = [
      await request('GET', '/v1/webhook-endpoints/x'),
      await request('DELETE', '/v1/webhook-endpoints/whk_1'),
    ];
    for (const { status, json } of responses) {
      expect(status).toBe(404);
      expect(json.error.code).toBe('not_found');
    }
  });

  it('need a key with the scope webhooks:manage', async () => {
    const { status, json } = await send({ method: 'GET', url: path, headers: { authorization: 'Bearer good' } });
    expect([status, json.error.code]).toEqual([403, 'insufficient_scope']);
  });
});

describe('the routes of webhook deliveries', () => {
  it('list deliveries by status, read one with its tries, and redeliver it', async () => {
    expect((await request('GET', '/v1/webhook-deliveries')).json.data).toMatchObject([
      { id: delivery.id, try_count: 1 },
    ]);
    expect((await request('GET', '/v1/webhook-deliveries?status=dead')).json.data).toEqual([]);
    expect((await request('GET', '/v1/webhook-deliveries?status=lost')).status).toBe(400);
    const { json } = await request('GET', `/v1/webhook-deliveries/${delivery.id}`);
    expect(json.tries).toEqual([{ number: 1, at: 1794744000, duration_ms: 12, status: 204, reason: null, answer: '' }]);
    expect(json.body).toEqual({ id: delivery.eventId, data: {} });
    expect((await request('POST', `/v1/webhook-deliveries/${delivery.id}/redeliver`)).status).toBe(200);
    expect((await request('POST', '/v1/webhook-deliveries/del_x/redeliver')).status).toBe(404);
  });
});
