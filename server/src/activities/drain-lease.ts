import type { Database } from '../db/database.ts';
import type { DrainingLease } from '../db/leases.ts';
import type { Clock } from '../domain/clock.ts';
import type { Engine, EngineOperation } from '../engines/engine.ts';
import type { Log } from '../telemetry/log.ts';
import { unnamedJobs } from './unnamed-jobs.ts';

/** How long an engine must not know a job before its slot counts as free: a late submit may still be on its way. */
const unknownSeconds = 20;

interface Dependencies {
  db: Database;
  clock: Clock;
  log: Log;
}

/** `idle`: nothing of it runs and nothing will. `unknown`: the engine says that it never heard of it. */
type Work = 'idle' | 'busy' | 'unknown';

/** Asks the engine once more to stop the job of a task that went another way, and frees its slot when the engine is idle. */
export async function drainLease(dependencies: Dependencies, engine: Engine, lease: DrainingLease): Promise<void> {
  const { db, clock, log } = dependencies;
  const free = () => db.leases.free(lease.endpointId, lease.slot, lease.fencing);
  try {
    const work = await stopWork(dependencies, engine, lease);
    if (work === 'idle') await free();
    else if (work === 'busy') {
      if (lease.unknownSince !== null) await db.leases.markUnknown(lease, null);
    } else if (lease.unknownSince === null) await db.leases.markUnknown(lease, clock.now());
    else if (clock.now().getTime() - lease.unknownSince.getTime() >= unknownSeconds * 1000) await free();
  } catch (error) {
    // Unreachable: nobody can say whether the job still runs, so the slot stays taken.
    log.debug(
      { event: 'lease.drain_failed', err: error, endpoint: lease.endpointId, taskId: lease.taskId },
      'slot not drained yet',
    );
  }
}

async function stopWork(dependencies: Dependencies, engine: Engine, lease: DrainingLease): Promise<Work> {
  const named = lease.operation ?? engine.operationFor(lease.engineJobId);
  if (named !== null) return stopJob(engine, named);
  // The answer to the submit was lost. While anything runs that nobody has named, it may be this job.
  const jobs = await unnamedJobs(dependencies, engine, lease);
  const [only] = jobs;
  if (only !== undefined && jobs.length === 1) return stopJob(engine, only);
  for (const job of jobs) {
    const { state } = await engine.poll(job);
    if (state === 'waiting' || state === 'running') return 'busy';
  }
  return 'unknown';
}

async function stopJob(engine: Engine, operation: EngineOperation): Promise<Work> {
  if ((await engine.cancel(operation)) === 'stopped') return 'idle';
  const { state } = await engine.poll(operation);
  if (state === 'lost') return 'unknown';
  if (state === 'waiting' || state === 'running') return 'busy';
  await engine.discard(operation);
  return 'idle';
}
