import { expect, it } from 'vitest';
import { auth, create, events, send } from '../app.fixture.ts';

const estimate = (payload: string | object, headers: Record<string, string> = {}) =>
  send({
    method: 'POST',
    url: '/v1/videos/estimate',
    headers: { ...auth, 'content-type': 'application/json', ...headers },
    payload,
  });

it('an estimate returns the request as a create would resolve it, and creates nothing', async () => {
  events.length = 0;
  const { status, json } = await estimate({ prompt: ' a cat ', negative_prompt: 'dogs', resolution: '1080p', seed: 7 });
  expect(status).toBe(200);
  expect(json).toEqual({
    object: 'video.estimate',
    type: 'text_to_video',
    request: {
      model: 'animatic',
      prompt: 'a cat',
      negative_prompt: 'dogs',
      resolution: '1080p',
      aspect_ratio: '16:9',
      duration: 5,
      seed: 7,
      seconds: '5',
      size: '1920x1080',
      image_fit: null,
      metadata: {},
    },
    warnings: [expect.objectContaining({ code: 'unsupported_parameter', param: 'negative_prompt' })],
    price: null,
    expected_seconds: null,
  });
  expect(events).not.toContain('committed');
});

it('values that depend on the image, and a seed that will be random, are null in an estimate', async () => {
  const image = { prompt: 'a cat', image_url: 'https://example.com/cat.jpg' };
  const { json } = await estimate(image);
  expect(json).toMatchObject({
    type: 'image_to_video',
    request: { aspect_ratio: null, size: null, seed: null, image_fit: 'crop' },
    warnings: [],
  });
  const chosen = await estimate({
    ...image,
    aspect_ratio: '1:1',
    image_fit: 'pad',
    image_url: 'data:image/png;base64,',
  });
  expect(chosen.json).toMatchObject({ request: { aspect_ratio: '1:1', size: '720x720', image_fit: 'pad' } });
  expect((await estimate({ ...image, image_url: null })).json).toMatchObject({ type: 'text_to_video' });
});

it.each<[body: string | object, headers: Record<string, string>]>([
  [{}, {}],
  [{ prompt: '', duration: 11, seed: '5' }, {}],
  [{ prompt: 'a cat', model: 'nothing' }, {}],
  [{ prompt: 'a'.repeat(2001) }, {}],
  [{ prompt: 'a cat', ratio: '1:1', duration: 0 }, { prefer: 'handling=strict' }],
  ['[]', {}],
  ['{', {}],
  ['', {}],
])('an estimate refuses what a create refuses, with the same error: %j', async (body, headers) => {
  const errorOf = ({ status, json }: Awaited<ReturnType<typeof send>>) => ({
    status,
    error: (json as { error: unknown }).error,
  });
  const created = await create(body, headers);
  expect(created.status).toBe(400);
  expect(errorOf(await estimate(body, headers))).toEqual(errorOf(created));
});

it('an estimate warns of an unknown field, and refuses it with handling=strict', async () => {
  const unknown = { prompt: 'a cat', ratio: '1:1' };
  expect((await estimate(unknown)).json).toMatchObject({ warnings: [{ param: 'ratio' }] });
  const strict = { prefer: 'handling=strict' };
  expect(await estimate(unknown, strict)).toMatchObject({
    status: 400,
    json: { error: { code: 'unknown_parameter' } },
  });
  const applied = await estimate({ prompt: 'a cat' }, strict);
  expect(applied.headers['preference-applied']).toBe('handling=strict');
});

it('an estimate counts as a read and needs the scope of a create', async () => {
  const { headers } = await estimate({ prompt: 'a cat' });
  expect(headers['x-ratelimit-limit-requests']).toBe('600');
  const reader = await estimate({ prompt: 'a cat' }, { authorization: 'Bearer reader' });
  expect(reader).toMatchObject({ status: 403, json: { error: { code: 'insufficient_scope' } } });
});

it('a warning about the prompt stays a warning with handling=strict', async () => {
  const warnings = [{ code: 'prompt_not_understood', param: 'prompt', message: 'What is a zorp?' }];
  expect((await estimate({ prompt: 'a zorp' })).json).toMatchObject({ warnings });
  const strict = await estimate({ prompt: 'a zorp' }, { prefer: 'handling=strict' });
  expect(strict).toMatchObject({ status: 200, json: { warnings } });
});
