import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import type { WorkflowClient } from '../queue/workflow-client.ts';

/** A worker that asks Postgres whether it may submit a job does so within 2 s, and a submit takes at most 10 s. */
export const submitsWithinSeconds = 12;
export const signEverySeconds = 2;
/** Nobody takes over from a worker that may be submitting a job: it may have signed just before it asked. */
const goneAfterSeconds = submitsWithinSeconds + signEverySeconds;
/** After a time in which Postgres was away, every worker has this long to sign again. */
const returnSeconds = 5;
/** Looks are a second apart. After a longer pause, silence may be Postgres's. */
const blindAfterSeconds = 3;
/** As many as creates that a cell takes. */
const attemptsPerLook = 50;

interface Dependencies {
  db: Pick<Database, 'attempts' | 'processes'>;
  workflows: WorkflowClient;
  clock: Clock;
  log: Log;
}

/** What earlier looks have found. Times are elapsed milliseconds. */
export interface Memory {
  lastLookAt: number | null;
  trustsSilenceFrom: number;
  /** The workers whose attempts other workers follow by now; null if every attempt has to be looked at. */
  followed: ReadonlySet<string> | null;
}

/** Judges a look: whether attempts of workers that are gone have to be looked for now. */
export function judgeLook(memory: Memory, now: number, gone: readonly string[]): { memory: Memory; isDue: boolean } {
  const { lastLookAt, followed } = memory;
  const wasBlind = lastLookAt === null || now - lastLookAt > blindAfterSeconds * 1000;
  const trustsSilenceFrom = wasBlind ? now + returnSeconds * 1000 : memory.trustsSilenceFrom;
  // A worker that has returned may be gone again later.
  const known = wasBlind || followed === null ? null : new Set(gone.filter((id) => followed.has(id)));
  const isNew = known === null || known.size < gone.length;
  return { memory: { lastLookAt: now, trustsSilenceFrom, followed: known }, isDue: isNew && now >= trustsSilenceFrom };
}

/**
 * Returns a function that looks for workers that are gone, and makes Temporal give their work to others, some attempts at
 * a time. What it fails to find, Temporal notices by the missing heartbeat. A needless takeover does no harm: the
 * attempt's fencing number decides who writes.
 */
export function followGoneWorkers({ db, workflows, clock, log }: Dependencies) {
  let memory: Memory = { lastLookAt: null, trustsSilenceFrom: 0, followed: null };
  return async (): Promise<void> => {
    const gone = await db.processes.goneWorkers(goneAfterSeconds);
    const look = judgeLook(memory, clock.elapsed(), gone);
    memory = look.memory;
    if (!look.isDue) return;
    const attempts = await db.attempts.ofGoneWorkers(goneAfterSeconds, attemptsPerLook);
    await Promise.all(
      attempts.map(async ({ taskId, attempt, workerId }) => {
        await workflows.failActivityOf(taskId, workerId);
        await db.attempts.forgetWorker(taskId, attempt, workerId);
        log.warn({ event: 'attempt.worker_gone', taskId, attempt, worker: workerId }, 'worker of an attempt gone');
      }),
    );
    const isComplete = attempts.length < attemptsPerLook;
    memory = { ...memory, lastLookAt: clock.elapsed(), followed: isComplete ? new Set(gone) : memory.followed };
  };
}
