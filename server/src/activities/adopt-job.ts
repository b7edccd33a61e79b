import { setTimeout as pause } from 'node:timers/promises';
import type { Attempt } from '../db/attempts.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../domain/clock.ts';
import type { Engine, EngineOperation } from '../engines/engine.ts';
import { unnamedJobs } from './unnamed-jobs.ts';
import { unreachableSeconds } from './watch-job.ts';

/** A submit lasts ten seconds at most: after twenty the engine lists what it took. */
const listedWithinSeconds = 20;
const askAgainMilliseconds = 1_000;

/**
 * Finds the job of an attempt where the engine makes the ids and its answer to the submit was lost: the one job since begin
 * that no attempt names. Null where there is none, or several: a slot serves one task, so one of them would be a stranger's.
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
    await pause(askAgainMilliseconds, undefined, { signal });
  }
}

function secondsBetween(earlier: Date, later: Date): number {
  return (later.getTime() - earlier.getTime()) / 1000;
}
