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
/** Temporal may give work to a worker that has vanished for a minute more, and notices by itself after 100 s. */
const noticedAfterSeconds = 90;
/** As many as creates that a cell takes. */
const tasksPerLook = 50;

interface Dependencies {
  db: Pick<Database, 'openTasks' | 'processes'>;
  workflows: WorkflowClient;
  clock: Clock;
  log: Log;
}

/** What earlier looks have found. Times are elapsed milliseconds. */
export interface Memory {
  lastLookAt: number | null;
  trustsSilenceFrom: number;
  /** Every task without a worker has to be looked at. */
  isOwed: boolean;
}

/** Judges a look: whether the work of workers that are gone has to be looked for now. */
export function judgeLook(memory: Memory, now: number, isAnyoneGone: boolean): { memory: Memory; isDue: boolean } {
  const { lastLookAt } = memory;
  const wasBlind = lastLookAt === null || now - lastLookAt > blindAfterSeconds * 1000;
  const trustsSilenceFrom = wasBlind ? now + returnSeconds * 1000 : memory.trustsSilenceFrom;
  // Postgres forgets who was silent when it crashes.
  const isOwed = memory.isOwed || wasBlind || isAnyoneGone;
  return { memory: { lastLookAt: now, trustsSilenceFrom, isOwed }, isDue: isOwed && now >= trustsSilenceFrom };
}

/**
 * Returns a function that looks for workers that are gone, and makes Temporal give their work to others, some tasks at a
 * time. What it fails to find, Temporal notices by the missing heartbeat. A needless takeover does no harm: the attempt's
 * fencing number decides who writes.
 */
export function followGoneWorkers({ db, workflows, clock, log }: Dependencies) {
  let memory: Memory = { lastLookAt: null, trustsSilenceFrom: 0, isOwed: true };
  let after: string | null = null;
  return async (): Promise<void> => {
    const gone = await db.processes.silentWorkers({ from: goneAfterSeconds, to: noticedAfterSeconds });
    const look = judgeLook(memory, clock.elapsed(), gone.length > 0);
    memory = look.memory;
    if (!look.isDue) return;
    const tasks = await db.openTasks.withoutWorker(goneAfterSeconds, { after, limit: tasksPerLook });
    await Promise.all(
      tasks.map(async ({ taskId, workerId }) => {
        const workers = new Set(workerId === null ? gone : [...gone, workerId]);
        if (workers.size === 0 || !(await workflows.failActivityOf(taskId, workers))) return;
        log.warn({ event: 'attempt.worker_gone', taskId }, 'work of a worker that is gone given to others');
      }),
    );
    after = tasks.length < tasksPerLook ? null : (tasks.at(-1)?.taskId ?? null);
    memory = { ...memory, lastLookAt: clock.elapsed(), isOwed: after !== null };
  };
}
