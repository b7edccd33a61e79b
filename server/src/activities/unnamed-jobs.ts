import type { Database } from '../db/database.ts';
import type { Engine, EngineOperation } from '../engines/engine.ts';

/** An endpoint has a handful of slots: among more jobs than this, ours cannot be identified. */
const maximumJobs = 100;

/**
 * Returns the jobs that an engine took since an attempt began and that no attempt names. If the engine makes the ids
 * and the response to a submit was lost, ours is one of them.
 */
export async function unnamedJobs(
  { db }: { db: Pick<Database, 'attempts'> },
  engine: Engine,
  { endpointId, beganAt }: { endpointId: string; beganAt: Date },
): Promise<EngineOperation[]> {
  const jobs = await engine.jobsSince(beganAt);
  return db.attempts.unnamed(endpointId, jobs.slice(0, maximumJobs));
}
