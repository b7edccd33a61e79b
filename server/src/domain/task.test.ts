import { describe, expect, it } from 'vitest';
import { plainTask, plainVideo } from './task.fixture.ts';
import { activeStatuses, isBillable, isFinal, stageOf, type Task, type TaskStatus, transitions } from './task.ts';

const statuses: readonly TaskStatus[] = ['queued', 'in_progress', 'completed', 'failed', 'cancelled'];

const base = plainTask;
const video = plainVideo;
const completed: Task = { ...base, status: 'completed', completedAt: new Date(1), expiresAt: new Date(2), video };
const cancelled: Task = { ...base, status: 'cancelled', stage: 'rendering', completedAt: new Date(1) };

describe('the status of a task', () => {
  it('is either active or final', () => {
    for (const status of statuses) expect(isFinal(status)).toBe(!activeStatuses.some((active) => active === status));
  });

  it('never changes once it is final', () => {
    for (const { from } of Object.values(transitions)) for (const status of from) expect(isFinal(status)).toBe(false);
  });

  it('becomes completed only from in_progress, and returns to queued only for a retry', () => {
    const into = (to: TaskStatus) => Object.entries(transitions).filter(([, transition]) => transition.to === to);
    expect(into('completed')).toEqual([['complete', { from: ['in_progress'], to: 'completed' }]]);
    expect(into('queued')).toEqual([['retry', { from: ['in_progress'], to: 'queued' }]]);
    expect(into('in_progress')).toEqual([['begin', { from: ['queued'], to: 'in_progress' }]]);
  });

  it('becomes failed or cancelled from every active status', () => {
    expect(transitions.fail.from).toEqual([...activeStatuses]);
    expect(transitions.cancel.from).toEqual([...activeStatuses]);
  });
});

describe('the stage of a task', () => {
  it('is the stage of the row while the task is active, and the stage at which it ended afterwards', () => {
    expect(stageOf({ ...base, status: 'queued', admittedAt: null })).toBe('waiting');
    expect(stageOf({ ...base, status: 'in_progress', stage: 'rendering' })).toBe('rendering');
    const error = { code: 'engine_lost', stage: 'rendering' } as const;
    expect(stageOf({ ...base, status: 'failed', completedAt: new Date(1), error })).toBe('rendering');
    expect(stageOf(completed)).toBe('finishing');
    expect(stageOf(cancelled)).toBe('rendering');
  });
});

describe('a task', () => {
  it('is billable only when it has completed in live mode', () => {
    expect(isBillable(completed)).toBe(true);
    expect(isBillable({ ...completed, livemode: false })).toBe(false);
    expect(isBillable(cancelled)).toBe(false);
  });
});
