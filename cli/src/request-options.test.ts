import { expect, test } from 'vitest';
import { requestOf } from './request-options.ts';

test('every option is sent, even one that the service ignores with a warning', async () => {
  const request = await requestOf('a boat', { aspectRatio: '1:1', imageFit: 'pad', seed: 0 });
  expect(JSON.parse(JSON.stringify(request))).toEqual({
    prompt: 'a boat',
    aspect_ratio: '1:1',
    image_fit: 'pad',
    seed: 0,
  });
});
