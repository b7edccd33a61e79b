import type { Attempt } from '../db/attempts/attempt-table.ts';
import type { Database } from '../db/database.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import type { Clock } from '../domain/clock.ts';
import type { Task } from '../domain/task.ts';
import type { Engine, EngineOperation } from '../engines/engine.ts';
import { comparableRequest } from './prepare-render.ts';
import { unreachableSeconds } from './watch-job.ts';

/** 20 s: a submit lasts at most 10 s, so by then the engine lists every job that it took. */
const listedWithinSeconds = 20;
const retryMilliseconds = 1_000;

interface Dependencies {
  db: Database;
  catalogue: () => Catalogue;
  clock: Clock;
}

/** Finds the job of a submit whose response was lost; null if in doubt: never deliver the video of another task. */
export async function adoptJob(
  dependencies: Dependencies,
  task: Task,
  attempt: Attempt,
  engine: Engine,
  signal: AbortSignal,
): Promise<EngineOperation | null> {
  const { clock } = dependencies;
  const request = comparableRequest(dependencies, task);
  if (!request) return null;
  let respondedAt = clock.now();
  for (;;) {
    const jobs = await engine.jobsSince(attempt.beganAt, request).catch((): null => null);
    const adopted = jobs && (await adoptListed(dependencies, attempt, jobs));
    if (adopted) return adopted;
    const now = clock.now();
    if (jobs !== null && secondsBetween(attempt.beganAt, now) >= listedWithinSeconds) return null;
    if (jobs !== null) respondedAt = now;
    else if (secondsBetween(respondedAt, now) > unreachableSeconds) return null;
    await clock.wait(retryMilliseconds, signal);
  }
}

/** Adopts the one listed job that no attempt has. The list is read first, so whoever submitted one is known here. */
async function adoptListed(
  { db, clock }: Dependencies,
  attempt: Attempt,
  jobs: readonly EngineOperation[],
): Promise<EngineOperation | null> {
  return db.transaction(async ({ engineJobs }) => {
    if (!(await engineJobs.lock(attempt))) return null;
    const [only, ...others] = await engineJobs.unnamed(attempt.endpointId, jobs);
    if (only === undefined || others.length > 0) return null;
    if (await engineJobs.mayBeOfAnother(attempt, clock.now())) return null;
    await engineJobs.name(attempt, only);
    return only;
  });
}

function secondsBetween(earlier: Date, later: Date): number {
  return (later.getTime() - earlier.getTime()) / 1000;
}
