import { expect, it } from 'vitest';
import { auth, send, task } from '../app.fixture.ts';

const taskUrl = `/v1/videos/${task.id}`;

it.each([
  ['GET', '/v1/videos', 'good'],
  ['GET', taskUrl, 'good'],
  ['GET', `${taskUrl}/timeline`, 'good'],
  ['GET', `${taskUrl}/content`, 'good'],
  ['GET', `${taskUrl}/events`, 'good'],
  ['GET', '/v1/events', 'good'],
  ['GET', '/v1/models', 'good'],
  ['GET', '/v1/limits', 'good'],
  ['GET', '/v1/api-keys', 'manager'],
  ['GET', '/v1/webhook-endpoints', 'hooks'],
  ['GET', '/v1/webhook-deliveries', 'hooks'],
  ['GET', '/v1/audit-events', 'auditor'],
  ['POST', `${taskUrl}/cancel`, 'good'],
  ['DELETE', taskUrl, 'good'],
] as const)('%s %s refuses a query parameter that it does not have', async (method, url, key) => {
  const headers = { authorization: `Bearer ${key}` };
  const { status, json } = await send({ method, url: `${url}?mistyped=1`, headers });
  expect([status, json.error.code, json.error.param]).toEqual([400, 'unknown_parameter', 'mistyped']);
});

it('a create refuses a query parameter that it does not have', async () => {
  const { status, json } = await send({
    method: 'POST',
    url: '/v1/videos/text-to-video?wait=5',
    headers: { ...auth, 'content-type': 'application/json' },
    payload: { prompt: 'a' },
  });
  expect([status, json.error.code, json.error.param]).toEqual([400, 'unknown_parameter', 'wait']);
  expect(json.error.message).toBe('wait is not a known parameter. This operation takes no query parameters.');
});

it('a key is checked before the query', async () => {
  expect((await send({ url: '/v1/videos?mistyped=1' })).json.error.code).toBe('missing_api_key');
});

it('a signed URL works with parameters that a player or a proxy adds', async () => {
  const { json } = await send({ url: taskUrl, headers: auth });
  const signed = new URL(json.video_url);
  expect((await send({ url: `${signed.pathname}${signed.search}&t=5` })).status).toBe(200);
});
