import type { Task } from '@kinora/sdk';
import { expect, it } from 'vitest';
import { requestOfTask, unknownImage } from './request-of-task.ts';

const task = {
  prompt: 'a boat',
  negative_prompt: null,
  image: null,
  model: 'animatic',
  resolution: '480p',
  aspect_ratio: '1:1',
  duration: 2,
  seed: 7,
  metadata: {},
} as unknown as Task;

it('the request of a task has its resolved fields and no empty ones', () => {
  expect(requestOfTask(task, null)).toEqual({
    prompt: 'a boat',
    model: 'animatic',
    resolution: '480p',
    aspect_ratio: '1:1',
    duration: 2,
    seed: 7,
  });
});

it('the request of a task with an image names its file, or says that one is missing', () => {
  const image = { sha256: '', width: 1, height: 1, fit: 'pad' } as const;
  expect(requestOfTask({ ...task, image }, 'file_1')).toMatchObject({ image: 'file_1', image_fit: 'pad' });
  expect(requestOfTask({ ...task, image }, null)).toMatchObject({ image: unknownImage });
});
