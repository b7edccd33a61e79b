import { describe, expect, it } from 'vitest';
import type { TaskEvent } from '../../domain/event.ts';
import { links, task } from '../app.fixture.ts';
import { presentEvent } from './present-event.ts';
import { presentTask } from './present-task.ts';

const completed: TaskEvent = {
  id: 'evt_01k9zqv9c4e8rb6t7y2m5n0p1q',
  type: 'video.completed',
  taskId: task.id,
  projectId: task.projectId,
  livemode: true,
  attempt: 1,
  createdAt: new Date('2026-11-15T12:00:00.900Z'),
};
const reported = { attempt: 1, stage: 'rendering', progress: 80, progressSource: 'engine' } as const;
const view = { task, live: reported, activeTasks: 1, readsPerMinute: 600 };
const urls = await links(task);

describe('an event', () => {
  it('contains the task as GET shows it', () => {
    expect(presentEvent(completed, view, urls)).toEqual({
      id: completed.id,
      type: 'video.completed',
      created_at: 1794744000,
      data: presentTask(view, urls),
    });
  });

  it('an event of a start shows the task as it was then, whatever its status is now', () => {
    const { data } = presentEvent({ ...completed, type: 'video.started' }, view, urls);
    expect(data).toMatchObject({
      status: 'in_progress',
      is_final: false,
      stage: 'preparing',
      progress: 0,
      completed_at: null,
      video: null,
      video_url: null,
      usage: null,
      expires_at: null,
    });
  });

  it('an event of a deleted task shows only its id, its status and that it is deleted', () => {
    const { data } = presentEvent(completed, { ...view, task: { ...task, deletedAt: new Date() } }, urls);
    expect(data).toEqual({ task_id: task.id, id: task.id, object: 'video', status: 'completed', deleted: true });
  });

  it('an event of more than 20 kB leaves the prompts out and is marked as shortened', () => {
    const long = { ...task, prompt: '\u0001'.repeat(2000), negativePrompt: '\u0001'.repeat(2000) };
    const body = presentEvent(completed, { ...view, task: long }, urls);
    expect(body).toMatchObject({ shortened: true });
    expect(body.data).not.toHaveProperty('prompt');
    expect(body.data).not.toHaveProperty('negative_prompt');
    expect(body.data).toMatchObject({ status: 'completed', seed: 7 });
    const short = presentEvent(
      completed,
      { ...view, task: { ...long, negativePrompt: null, prompt: 'é'.repeat(2000) } },
      urls,
    );
    expect(short).not.toHaveProperty('shortened');
    expect(short.data).toHaveProperty('prompt');
  });
});
