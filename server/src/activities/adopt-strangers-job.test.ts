import { describe, expect, onTestFinished, test } from 'vitest';
import type { Attempt } from '../db/attempts.ts';
import type { Database } from '../db/database.ts';
import { startEmptyPostgres } from '../db/empty-postgres.fixture.ts';
import { newId } from '../domain/id.ts';
import type { EngineOperation } from '../engines/engine.ts';
import { adoptJob } from './adopt-job.ts';
import { createScriptedEngine } from './scripted-engine.fixture.ts';

const clock = { now: () => new Date('2026-11-15T12:00:21Z') };
const beganAt = new Date('2026-11-15T12:00:00Z');
const never = new AbortController().signal;

/** An attempt on an endpoint whose engine makes the ids; the response to its submit was lost. */
function openAttempt(slot: number): Attempt {
  return {
    taskId: newId('task', beganAt),
    attempt: 1,
    endpointId: 'gpu-1',
    slot,
    fencing: String(slot),
    engineJobId: `ours-${slot}`,
    operation: null,
    beganAt,
    slotFreedAt: null,
  };
}

/** A database in which these attempts are open. */
async function databaseWith(open: readonly Attempt[]): Promise<Database> {
  const postgres = await startEmptyPostgres();
  onTestFinished(() => postgres[Symbol.asyncDispose]());
  const db = postgres.connect();
  const operations = new Map<string, EngineOperation | null>(open.map(({ taskId }) => [taskId, null]));
  return {
    ...db,
    attempts: {
      ...db.attempts,
      unnamed: async (_, jobs) => {
        const named = new Set([...operations.values()].map((operation) => operation?.['jobId']));
        return jobs.filter((job) => !named.has(job['jobId']));
      },
      setOperation: async ({ taskId }, operation) => void operations.set(taskId, operation),
    },
  };
}

/** An engine that took one job and whose response was lost. */
function engineWithJob(jobId: string) {
  const engine = createScriptedEngine();
  engine.losesResponses = true;
  engine.slots = 2;
  engine.jobs.set(jobId, { state: 'running', progress: 1 });
  return engine;
}

describe('adopting the one job that no attempt names', () => {
  test('the only open attempt of an endpoint adopts the one job that no attempt names', async () => {
    const only = openAttempt(0);
    const db = await databaseWith([only]);
    expect(await adoptJob({ db, clock }, only, engineWithJob('job-of-first'), never)).toEqual({
      jobId: 'job-of-first',
    });
  });

  test.fails('an attempt whose submit never arrived does not adopt the job of another slot (protocol review, finding 2)', async () => {
    const [first, second] = [openAttempt(0), openAttempt(1)];
    const db = await databaseWith([first, second]);
    expect(await adoptJob({ db, clock }, second, engineWithJob('job-of-first'), never)).toBeNull();
  });
});
