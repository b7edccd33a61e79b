import type { DrainingLease } from '../db/attempts/lease-table.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../domain/clock.ts';
import type { Engine, EngineOperation } from '../engines/engine.ts';
import type { Log } from '../telemetry/log.ts';

/** How long an engine must not know a job before its slot counts as free: a late submit may still be on its way. */
const unknownSeconds = 20;

interface Dependencies {
  db: Database;
  clock: Clock;
  log: Log;
}

/** `idle`: the job does not run and never will. `unknown`: the engine does not know the job. */
type Work = 'idle' | 'busy' | 'unknown';

/** Tells the engine once more to stop a job that is no longer wanted, and frees the slot once the engine is idle. */
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
    // The engine is unreachable, so the job may still run, and the slot stays taken.
    log.debug(
      { event: 'lease.drain_failed', err: error, endpoint: lease.endpointId, taskId: lease.taskId },
      'slot not drained yet',
    );
  }
}

async function stopWork(dependencies: Dependencies, engine: Engine, lease: DrainingLease): Promise<Work> {
  const named = lease.operation ?? engine.operationFor(lease.engineJobId);
  if (named !== null) return stopJob(engine, named);
  // The response to the submit was lost. Any running job that belongs to no attempt may be this one.
  const { db } = dependencies;
  const jobs = await db.engineJobs.unnamed(lease.endpointId, await engine.jobsSince(lease.beganAt));
  const [only] = jobs;
  // A job that another task may be waiting for must not be stopped. One of an attempt that has ended may be.
  const isUnwanted = jobs.length === 1 && !(await db.engineJobs.mayBeOfOpenAttempt(lease));
  if (only !== undefined && isUnwanted) return stopJob(engine, only);
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
