import { describe, expect, it } from 'vitest';
import type { Task } from './task.ts';
import { taskAtEvent } from './task-at-event.ts';

const base = {
  id: 'task_1',
  projectId: 'proj_1',
  livemode: true,
  keyId: 'key_1',
  version: 9,
  attempt: 3,
  createdAt: new Date(0),
  startedAt: new Date(1000),
  engineSeconds: 4,
  type: 'text_to_video',
  model: 'animatic',
  pool: 'animatic',
  prompt: 'a cat',
  negativePrompt: null,
  resolution: '720p',
  aspectRatio: '16:9',
  durationSeconds: 1,
  seed: 7,
  image: null,
  warnings: [],
  metadata: {},
  callbackUrl: null,
  callbackEvents: null,
  deletedAt: null,
} as const;
const failed: Task = {
  ...base,
  status: 'failed',
  completedAt: new Date(9000),
  error: { code: 'engine_crashed', stage: 'rendering' },
};

describe('the task at an event', () => {
  it('is in the attempt that began, without anything that came later', () => {
    const asked = taskAtEvent(failed, { type: 'video.started', attempt: 2 });
    expect(asked).toEqual({ ...base, status: 'in_progress', stage: 'preparing', attempt: 2 });
    for (const field of ['completedAt', 'error', 'video', 'expiresAt', 'admittedAt'])
      expect(asked).not.toHaveProperty(field);
  });

  it('is the row itself once it is final: final rows never change', () => {
    expect(taskAtEvent(failed, { type: 'video.failed', attempt: 3 })).toBe(failed);
  });
});
