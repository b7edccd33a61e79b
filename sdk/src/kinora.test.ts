import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { InvalidRequestError, Kinora, KinoraError, type KinoraOptions } from './index.ts';
import { drop, json, startScriptedServer, taskAt } from './scripted-server.fixture.ts';

async function serve(options: KinoraOptions = {}) {
  const server = await startScriptedServer(({ url }) =>
    json(200, url.includes('/v1/videos?') ? { data: [], last_id: null, has_more: false } : taskAt(100)),
  );
  const kinora = new Kinora({ apiKey: 'kin_test_x', baseUrl: server.baseUrl, maxRetries: 0, ...options });
  return { ...server, kinora, sent: () => server.requests.map(({ method, url }) => `${method} ${url}`) };
}

test.each(['', '/', '/v1', '/v1/'])('a baseUrl that ends in "%s" works', async (end) => {
  const { baseUrl, sent } = await serve();
  await new Kinora({ apiKey: 'kin_test_x', baseUrl: `${baseUrl}${end}` }).limits.get();
  await new Kinora({ apiKey: 'kin_test_x', baseUrl: `${baseUrl}/behind/proxy${end}` }).limits.get();
  expect(sent()).toEqual(['GET /v1/limits', 'GET /behind/proxy/v1/limits']);
});

test('each resource calls its own address of the service', async () => {
  const { kinora, sent } = await serve();
  const { files, models, limits, usage, apiKeys, auditEvents, webhookEndpoints } = kinora;
  const { callbackSecret, deliveries } = webhookEndpoints;
  await files.upload(new Uint8Array([1]));
  await files.get('file_1');
  await files.delete('file_1');
  await models.list();
  await models.get('wan/2.2');
  await limits.get();
  await usage.get({ bucket: 'hour' });
  await apiKeys.list({ limit: 2 });
  await apiKeys.create({ name: 'ci' });
  await apiKeys.rotate('key_1');
  await apiKeys.revoke('key_1');
  await auditEvents.list({ action: 'api_key.revoked' });
  await webhookEndpoints.create({ url: 'https://example.com/hook' });
  await webhookEndpoints.list();
  await webhookEndpoints.get('whe_1');
  await webhookEndpoints.update('whe_1', { status: 'enabled' });
  await webhookEndpoints.delete('whe_1');
  await webhookEndpoints.test('whe_1');
  await webhookEndpoints.rotateSecret('whe_1', { overlap_seconds: 60 });
  await callbackSecret.get();
  await callbackSecret.rotate();
  await deliveries.list({ status: 'dead' });
  await deliveries.get('whd_1');
  await deliveries.redeliver('whd_1');
  expect(sent()).toEqual([
    'POST /v1/files',
    'GET /v1/files/file_1',
    'DELETE /v1/files/file_1',
    'GET /v1/models',
    'GET /v1/models/wan%2F2.2',
    'GET /v1/limits',
    'GET /v1/usage?bucket=hour',
    'GET /v1/api-keys?limit=2',
    'POST /v1/api-keys',
    'POST /v1/api-keys/key_1/rotate',
    'DELETE /v1/api-keys/key_1',
    'GET /v1/audit-events?action=api_key.revoked',
    'POST /v1/webhook-endpoints',
    'GET /v1/webhook-endpoints',
    'GET /v1/webhook-endpoints/whe_1',
    'PATCH /v1/webhook-endpoints/whe_1',
    'DELETE /v1/webhook-endpoints/whe_1',
    'POST /v1/webhook-endpoints/whe_1/test',
    'POST /v1/webhook-endpoints/whe_1/rotate-secret',
    'GET /v1/webhook-endpoints/callback-secret',
    'POST /v1/webhook-endpoints/callback-secret/rotate',
    'GET /v1/webhook-deliveries?status=dead',
    'GET /v1/webhook-deliveries/whd_1',
    'POST /v1/webhook-deliveries/whd_1/redeliver',
  ]);
});

test('wrong use rejects with an InvalidRequestError and sends nothing', async () => {
  const { kinora, requests } = await serve();
  const { videos, files, models, apiKeys, webhookEndpoints } = kinora;
  const nothing = undefined as never; // a JavaScript caller can leave arguments out
  const calls: (() => Promise<unknown>)[] = [
    () => videos.run(nothing),
    () => videos.run('a boat' as never),
    () => videos.textToVideo(nothing),
    () => videos.imageToVideo(nothing),
    () => videos.imageToVideo({ prompt: 'a boat', image: 7 as never }),
    () => videos.estimate(nothing),
    () => videos.get(nothing),
    () => videos.get(''),
    () => videos.get('..'),
    () => videos.get({} as never),
    () => videos.wait(nothing),
    () => videos.cancel(nothing),
    () => videos.delete(nothing),
    () => videos.download(nothing),
    () => videos.save(nothing, 'boat.mp4'),
    () => videos.timeline(null as never),
    () => files.upload(nothing),
    () => files.get(nothing),
    () => models.get(nothing),
    () => apiKeys.revoke(nothing),
    () => webhookEndpoints.delete(''),
    () => webhookEndpoints.deliveries.get(nothing),
    async () => {
      for await (const task of videos.follow(nothing)) expect(task).toBeUndefined();
    },
  ];
  for (const call of calls) await expect(call()).rejects.toBeInstanceOf(InvalidRequestError);
  await expect(videos.save('task_1', nothing)).rejects.toBeInstanceOf(KinoraError);
  expect(requests).toEqual([]);
});

test('a query can hold several values and named values', async () => {
  const { kinora, requests } = await serve();
  const query = { status: ['queued', 'failed'], metadata: { order: 'a&b' }, q: undefined };
  await kinora.videos.list(query as never); // the service may offer such filters later than this client knows
  const { searchParams } = new URL(requests[0]?.url ?? '', 'http://127.0.0.1');
  expect([...searchParams]).toEqual([
    ['status', 'queued,failed'],
    ['metadata[order]', 'a&b'],
  ]);
});

test('log gets one line for every try, without query and key', async () => {
  const lines: string[] = [];
  const { baseUrl } = await startScriptedServer((_request, count) =>
    count === 1 ? drop : json(200, { data: [], last_id: null, has_more: false }, { 'x-request-id': 'req_1' }),
  );
  const log = (line: string) => lines.push(line);
  const kinora = new Kinora({ apiKey: 'kin_test_x', baseUrl, maxRetries: 1, log });
  await kinora.videos.list({ q: 'secret' });
  expect(lines).toEqual([
    expect.stringMatching(/^GET \/v1\/videos: TypeError: fetch failed, \d+ ms$/),
    expect.stringMatching(/^GET \/v1\/videos: 200 req_1, \d+ ms$/),
  ]);
});

test('no exported name hides a global of browsers or Node', async () => {
  const index = await readFile(new URL('index.ts', import.meta.url), 'utf8');
  const names = [...index.matchAll(/(?:\bas )?\b(\w+)(?=,| })/g)].map(([, name = '']) => name);
  expect(names).toEqual(expect.arrayContaining(['Kinora', 'KinoraEvent', 'UploadedFile', 'unwrapWebhook']));
  expect(names.filter((name) => name in globalThis)).toEqual([]);
});
