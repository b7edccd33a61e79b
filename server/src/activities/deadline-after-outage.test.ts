import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmptyPostgres } from '../db/connection/empty-postgres.fixture.ts';
import { clockAt } from '../domain/clock.fixture.ts';
import { strayId } from '../domain/id.fixture.ts';
import { plainTask } from '../domain/task.fixture.ts';
import type { Task } from '../domain/task.ts';
import type { JobState } from '../engines/engine.ts';
import { createLog } from '../telemetry/log.ts';
import { createScriptedEngine } from './scripted-engine.fixture.ts';
import { type JobEnd, watchJob } from './watch-job.ts';

const now = new Date('2026-11-15T12:31:00Z');
/** 31 minutes ago: no worker watched the job for longer than an attempt may last. */
const beganAt = new Date('2026-11-15T12:00:00Z');
const jobId = 'job-1';
const task: Task = {
  ...plainTask,
  id: strayId('task', beganAt),
  version: 2,
  createdAt: beganAt,
  startedAt: beganAt,
  model: 'video-model',
  pool: 'video',
  durationSeconds: 5,
  status: 'in_progress',
  stage: 'rendering',
};

/** Watches the job again after the outage. Each poll gets the next state; null means that the engine does not respond to it. */
async function watchAgain(...responses: [JobState | null, ...JobState[]]): Promise<JobEnd> {
  const postgres = await startEmptyPostgres();
  onTestFinished(() => postgres[Symbol.asyncDispose]());
  const engine = createScriptedEngine();
  const poll = async (): Promise<JobState> => {
    const response = responses.length > 1 ? responses.shift() : responses[0];
    if (!response) throw new Error('the engine does not respond');
    return response;
  };
  return watchJob(
    {
      db: postgres.connect(),
      watch: { watch: () => undefined, unwatch: () => undefined, state: () => null, close: () => undefined },
      live: { report: () => undefined, close: async () => undefined },
      clock: clockAt(() => now),
      log: createLog({ level: 'silent', roles: [] }),
      speeds: { find: () => null },
      attemptLimitSeconds: 1_800,
      stallSeconds: 60,
    },
    {
      task,
      attempt: {
        taskId: task.id,
        attempt: 1,
        endpointId: 'gpu-1',
        slot: 0,
        fencing: '1',
        engineJobId: jobId,
        operation: { jobId },
        beganAt,
        slotFreedAt: null,
      },
      engine: { ...engine, poll },
      operation: { jobId },
      signal: new AbortController().signal,
    },
  );
}

describe('a job that no worker watched until its deadline had passed', () => {
  test('a job that still runs after its deadline is ended, although no worker watched it until then', async () => {
    expect(await watchAgain({ state: 'running', progress: 50 })).toEqual({ kind: 'deadline' });
  });

  test('a job that the engine lost during our outage costs an attempt and not the task', async () => {
    expect(await watchAgain({ state: 'lost' })).toEqual({ kind: 'failed', code: 'engine_lost', isJobOver: false });
  });

  test('a job whose engine crashed during our outage costs an attempt and not the task', async () => {
    expect(await watchAgain({ state: 'failed', code: 'engine_crashed', reason: '' })).toEqual({
      kind: 'failed',
      code: 'engine_crashed',
      isJobOver: true,
    });
  });

  test('a single unanswered poll after our outage does not end a job that has succeeded', async () => {
    expect(await watchAgain(null, { state: 'succeeded' })).toEqual({ kind: 'succeeded', isStored: false });
  });
});
