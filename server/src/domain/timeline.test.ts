import { describe, expect, it } from 'vitest';
import { strayId } from './id.fixture.ts';
import type { Task } from './task.ts';
import { timelineOf } from './timeline.ts';

const at = (milliseconds: number) => new Date(Date.UTC(2026, 10, 15) + milliseconds);
const now = at(100_000);

const task = (changes: object): Task =>
  // Only the fields that a timeline reads.
  ({ id: strayId('task', at(0)), createdAt: at(0), attempt: 1, startedAt: null, ...changes }) as Task;
const attempt = (changes: object) => ({
  attempt: 1,
  endpointId: 'gpu-1',
  beganAt: at(1_500),
  slotFreedAt: null,
  endedAt: null,
  outcome: null,
  takeovers: 0,
  ...changes,
});

/** Stages as "stage attempt from-to seconds"; from and to are seconds since acceptance. */
const stagesOf = (...args: Parameters<typeof timelineOf>) =>
  timelineOf(...args).stages.map(({ stage, attempt: number, startedAt, endedAt, seconds }) => {
    const since = (moment: Date | null) => (moment ? (moment.getTime() - at(0).getTime()) / 1000 : '');
    return `${stage} ${number} ${since(startedAt)}-${since(endedAt)} ${seconds}`;
  });

describe('the timeline', () => {
  it('the timeline of a waiting task is one stage without an end', () => {
    expect(stagesOf(task({ status: 'queued' }), [], now)).toEqual(['waiting 1 0- 100']);
    expect(timelineOf(task({ status: 'queued' }), [], now)).toMatchObject({ seconds: 100, attempts: [] });
  });

  it('the timeline of a task that never began is one waiting stage, which ends with the task', () => {
    const cancelled = task({ status: 'cancelled', completedAt: at(7_250) });
    expect(stagesOf(cancelled, [], now)).toEqual(['waiting 1 0-7.25 7.25']);
  });

  it('the timeline of a completed task has no gap and no overlap', () => {
    const completed = task({ status: 'completed', startedAt: at(1_500), completedAt: at(9_001) });
    const only = attempt({ slotFreedAt: at(8_000), endedAt: at(9_001), outcome: 'completed', takeovers: 1 });
    expect(stagesOf(completed, [only], now)).toEqual([
      'waiting 1 0-1.5 1.5',
      'rendering 1 1.5-8 6.5',
      'finishing 1 8-9.001 1.001',
    ]);
    expect(timelineOf(completed, [only], now)).toMatchObject({
      seconds: 9.001,
      attempts: [{ attempt: 1, endpoint: 'gpu-1', engineSeconds: 6.5, takeovers: 1, outcome: 'completed' }],
    });
  });

  it.each([
    ['failed', { error: { code: 'engine_rejected_input', stage: 'preparing' } }],
    ['cancelled', { stage: 'preparing' }],
  ])('the timeline of a task that %s while it was prepared says so, like the task', (status, changes) => {
    const ended = task({ status, startedAt: at(1_500), completedAt: at(2_000), ...changes });
    expect(stagesOf(ended, [attempt({ endedAt: at(2_000), outcome: status })], now)).toEqual([
      'waiting 1 0-1.5 1.5',
      'preparing 1 1.5-2 0.5',
    ]);
  });

  it('the timeline of a retried task shows the waiting between the attempts', () => {
    const rendering = task({ status: 'in_progress', stage: 'rendering', attempt: 3, startedAt: at(1_500) });
    const attempts = [
      attempt({ endedAt: at(4_000), outcome: 'engine_crashed' }),
      attempt({ attempt: 2, endpointId: 'gpu-2', beganAt: at(5_000), endedAt: at(5_100), outcome: 'refused' }),
      attempt({ attempt: 3, beganAt: at(10_000) }),
    ];
    expect(stagesOf(rendering, attempts, now)).toEqual([
      'waiting 1 0-1.5 1.5',
      'rendering 1 1.5-4 2.5',
      'waiting 2 4-5 1',
      'preparing 2 5-5.1 0.1',
      'waiting 3 5.1-10 4.9',
      'rendering 3 10- 90',
    ]);
    expect(timelineOf(rendering, attempts, now).attempts.map(({ engineSeconds }) => engineSeconds)).toEqual([
      2.5,
      0,
      null,
    ]);
    const queued = task({ status: 'queued', attempt: 2 });
    expect(stagesOf(queued, attempts.slice(0, 1), now).at(-1)).toBe('waiting 2 4- 96');
    const error = { code: 'engine_crashed', stage: 'rendering' };
    const gaveUp = task({ status: 'failed', attempt: 2, completedAt: at(20_000), error });
    expect(stagesOf(gaveUp, attempts.slice(0, 1), now).at(-1)).toBe('waiting 2 4-20 16');
  });
});
