import { setTimeout as pause } from 'node:timers/promises';
import type { Attempt } from '../db/attempts.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../domain/clock.ts';
import type { Engine, EngineOperation } from '../engines/engine.ts';
import { unnamedJobs } from './unnamed-jobs.ts';
import { unreachableSeconds } from './watch-job.ts';

/** 20 s: a submit lasts at most 10 s, so by then the engine lists every job that it took. */
const listedWithinSeconds = 20;
const retryMilliseconds = 1_000;

/**
 * Finds the job of an attempt if the engine makes the ids and its response to the submit was lost: the one job since
 * the attempt began that no attempt names. Returns null if there is none, or several: a slot serves one task, so all
 * but one of them would belong to other tasks.
 */
export async function adoptJob(
  dependencies: { db: Database; clock: Clock },
  attempt: Attempt,
  engine: Engine,
  signal: AbortSignal,
): Promise<EngineOperation | null> {
  const { db, clock } = dependencies;
  let respondedAt = clock.now();
  for (;;) {
    const jobs = await unnamedJobs(dependencies, engine, attempt).catch((): null => null);
    const [only] = jobs ?? [];
    if (only !== undefined && jobs?.length === 1) {
      await db.attempts.setOperation(attempt, only);
      return only;
    }
    const now = clock.now();
    if (jobs !== null && secondsBetween(attempt.beganAt, now) >= listedWithinSeconds) return null;
    if (jobs !== null) respondedAt = now;
    else if (secondsBetween(respondedAt, now) > unreachableSeconds) return null;
    await pause(retryMilliseconds, undefined, { signal });
  }
}

function secondsBetween(earlier: Date, later: Date): number {
  return (later.getTime() - earlier.getTime()) / 1000;
}
