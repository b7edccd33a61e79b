import { expect, it } from 'vitest';
import { plainTask } from '../../domain/task.fixture.ts';
import { presentTimeline } from './present-timeline.ts';

it('an attempt has its start under the name that stages and tasks use, and under its first name', () => {
  const at = new Date(1_794_700_001_250);
  const attempt = {
    attempt: 1,
    endpoint: 'animatic',
    beganAt: at,
    endedAt: null,
    engineSeconds: null,
    takeovers: 0,
    outcome: null,
  };
  const task = { ...plainTask, status: 'in_progress' as const, stage: 'rendering' as const, startedAt: at };
  const { attempts } = presentTimeline({ task, seconds: 1, stages: [], attempts: [attempt] });
  expect(attempts).toMatchObject([{ started_at: 1_794_700_001, began_at: 1_794_700_001 }]);
});
