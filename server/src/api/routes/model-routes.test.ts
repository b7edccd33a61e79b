import { expect, it } from 'vitest';
import { animatic, type Model } from '../../domain/model.ts';
import { auth, parts, send } from '../app.fixture.ts';
import { createApp } from '../app.ts';

const wan: Model = {
  ...animatic,
  id: 'wan',
  name: 'Wan',
  description: 'good',
  pool: 'gpus',
  aliases: ['sora-2', 'Wan-AI/Wan2.2'],
  types: ['text_to_video'],
  resolutions: ['480p', '720p'],
  aspectRatios: ['16:9', '1:1'],
  longestSeconds: 5,
  fps: 16,
  usesNegativePrompt: true,
  parameters: { secret_sauce: 7 },
  price: { currency: 'USD', perSecond: { '720p': '0.02' } },
};
const measured = {
  samples: 12,
  renderP50Seconds: 50,
  renderP90Seconds: 60,
  totalP50Seconds: 61.44,
  totalP90Seconds: 74.96,
};
const busy = createApp({
  ...parts,
  catalogue: () => ({
    models: [{ ...wan, id: 'off', aliases: [], isEnabled: false }, wan, animatic],
    retired: [{ ...wan, id: 'old' }],
  }),
  acceptingPools: async () => new Set(['gpus']),
  speeds: {
    find: (model, resolution, durationSeconds) =>
      model === 'wan' && resolution === '720p' && durationSeconds === 5 ? measured : null,
    of: (model) =>
      model === 'wan'
        ? [
            { ...measured, resolution: '720p', durationSeconds: 5 },
            { ...measured, resolution: '480p', durationSeconds: 2 },
          ]
        : [],
  },
});
const get = (url: string) => busy.inject({ url, headers: auth });

it('the list shows every model in order, with its capabilities, availability and speed', async () => {
  const { json, status, headers } = await send({ url: '/v1/models', headers: auth });
  expect(status).toBe(200);
  expect(headers['cache-control']).toBe('private, no-cache');
  expect(json).toMatchObject({ object: 'list', first_id: 'animatic', last_id: 'animatic', has_more: false });
  expect(json.data[0]).toMatchObject({ id: 'animatic', available: true, is_default: true, price: null, speeds: [] });

  const { data } = (await get('/v1/models')).json();
  expect(
    data.map(({ id, available, is_default: isDefault }: { id: string; available: boolean; is_default: boolean }) => ({
      id,
      available,
      isDefault,
    })),
  ).toEqual([
    { id: 'off', available: false, isDefault: false },
    { id: 'wan', available: true, isDefault: true },
    { id: 'animatic', available: false, isDefault: false },
  ]);
  expect(data[1]).toEqual({
    id: 'wan',
    object: 'model',
    created: 0,
    owned_by: 'kinora',
    name: 'Wan',
    description: 'good',
    aliases: ['sora-2', 'Wan-AI/Wan2.2'],
    available: true,
    is_default: true,
    capabilities: {
      types: ['text_to_video'],
      resolutions: ['480p', '720p'],
      aspect_ratios: ['16:9', '1:1'],
      durations: { min: 1, max: 5 },
      fps: 16,
      negative_prompt: true,
    },
    price: { currency: 'USD', per_second: { '720p': '0.02' } },
    speeds: [
      { resolution: '480p', duration: 2, p50_seconds: 61.4, p90_seconds: 75, samples: 12 },
      { resolution: '720p', duration: 5, p50_seconds: 61.4, p90_seconds: 75, samples: 12 },
    ],
  });
});

it('a model is read by its id or an alias; a retired or unknown one is not found', async () => {
  expect((await get('/v1/models/wan')).json()).toMatchObject({ id: 'wan' });
  expect((await get('/v1/models/sora-2')).json()).toMatchObject({ id: 'wan' });
  expect((await get('/v1/models/Wan-AI%2FWan2.2')).json()).toMatchObject({ id: 'wan' });
  for (const unknown of ['old', 'nothing', '__proto__']) {
    const response = await get(`/v1/models/${unknown}`);
    expect(response.statusCode).toBe(404);
    expect(response.json().error.code).toBe('not_found');
  }
});

it('an estimate has the exact price and the measured time, but neither in test mode', async () => {
  const estimate = async (key: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return (
      await busy.inject({ method: 'POST', url: '/v1/videos/estimate', headers, payload: { prompt: 'a cat', ...body } })
    ).json();
  };
  expect(await estimate('good', {})).toMatchObject({
    request: { model: 'wan' },
    price: { amount: '0.10', currency: 'USD' },
    expected_seconds: 61.4,
  });
  expect(await estimate('good', { model: 'sora-2', resolution: '480p' })).toMatchObject({
    request: { model: 'wan' },
    price: null,
    expected_seconds: null,
  });
  expect(await estimate('tester', {})).toMatchObject({
    request: { model: 'wan' },
    price: null,
    expected_seconds: null,
  });
});
