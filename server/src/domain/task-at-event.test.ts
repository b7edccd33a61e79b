import { describe, expect, it } from 'vitest';
import { plainTask } from './task.fixture.ts';
import type { Task } from './task.ts';
import { taskAtEvent } from './task-at-event.ts';

const base = { ...plainTask, version: 9, attempt: 3, startedAt: new Date(1000), engineSeconds: 4 };
const failed: Task = {
  ...base,
  status: 'failed',
  completedAt: new Date(9000),
  error: { code: 'engine_crashed', stage: 'rendering' },
};

describe('the task at an event', () => {
  it('is in progress in the attempt that began, without any field that was set later', () => {
    const atStart = taskAtEvent(failed, { type: 'video.started', attempt: 2 });
    expect(atStart).toEqual({ ...base, status: 'in_progress', stage: 'preparing', attempt: 2 });
    for (const field of ['completedAt', 'error', 'video', 'expiresAt', 'admittedAt'])
      expect(atStart).not.toHaveProperty(field);
  });

  it('is the row itself if the event is final, because final rows never change', () => {
    expect(taskAtEvent(failed, { type: 'video.failed', attempt: 3 })).toBe(failed);
  });
});
