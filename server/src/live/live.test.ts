import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LiveUpdate } from '../db/attempts/live-entry-table.ts';
import { clockAt } from '../domain/clock.fixture.ts';
import { strayId } from '../domain/id.fixture.ts';
import { newProjectId } from '../domain/id.ts';
import { createLog } from '../telemetry/log.ts';
import { createLive } from './live.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('progress is written when it changes, and every 10 s as a sign of life', async () => {
  const written: LiveUpdate[][] = [];
  const write = async (updates: readonly LiveUpdate[]) => void (updates.length > 0 && written.push([...updates]));
  const notified: string[] = [];
  const live = createLive({
    db: { liveEntries: { write, deleteCreatedBefore: async () => 0 } },
    clock: clockAt(() => new Date()),
    log: createLog({ level: 'silent', roles: [] }),
    onWritten: ({ taskId }) => void notified.push(taskId),
  });
  const task = { id: strayId('task', new Date()), projectId: newProjectId(new Date()), livemode: true, version: 1 };
  const pollFor = async (seconds: number, progress: number) => {
    for (let polls = 0; polls < seconds * 2; polls += 1) {
      live.report(task, { attempt: 1, stage: 'rendering', progress, progressSource: 'engine' });
      await vi.advanceTimersByTimeAsync(500);
    }
  };
  await pollFor(5, 1);
  await pollFor(5, 2);
  expect(written.flat().map(({ progress }) => progress)).toEqual([1, 2]);
  await pollFor(30, 2);
  expect(written.flat().map(({ progress }) => progress)).toEqual([1, 2, 2, 2, 2]);
  expect(notified).toHaveLength(written.length);
  await live.close();
});
