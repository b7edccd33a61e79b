import { setTimeout as pause } from 'node:timers/promises';
import type { Attempt } from '../db/attempts.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../domain/clock.ts';
import { type AttemptFailureCode, isRejectionCode, type RejectionCode } from '../domain/failure.ts';
import type { Task } from '../domain/task.ts';
import type { Engine, EngineOperation, JobState } from '../engines/engine.ts';
import type { Live } from '../live/live.ts';
import { failpoint } from '../telemetry/failpoints.ts';
import type { TaskWatch } from './task-watch.ts';

const pollEveryMilliseconds = 500;
const unreachableSeconds = 60;

interface Dependencies {
  db: Pick<Database, 'tasks'>;
  watch: TaskWatch;
  live: Live;
  clock: Clock;
  attemptLimitSeconds: number;
}

export type JobEnd =
  | { kind: 'succeeded' }
  | { kind: 'failed'; code: AttemptFailureCode; isJobOver: boolean }
  | { kind: 'rejected'; code: RejectionCode }
  | { kind: 'deadline' }
  /** The task is final, or in another attempt: the engine was asked to stop. */
  | { kind: 'not-wanted' }
  /** The activity was stopped, the task was not: the job goes on and somebody will follow it. */
  | { kind: 'left-running' };

interface Job {
  task: Task;
  attempt: Attempt;
  engine: Engine;
  operation: EngineOperation;
  /** Temporal's cancellation of the activity: shutdown, time-out, or a hint. */
  signal: AbortSignal;
  heartbeat: () => void;
}

/** Stays with an engine's job until it ends. The task's row decides whether it is still wanted, not the activity's cancellation. */
export async function watchJob(dependencies: Dependencies, job: Job): Promise<JobEnd> {
  const { watch } = dependencies;
  watch.watch(job.attempt.taskId);
  try {
    return await followToTheEnd(dependencies, job);
  } finally {
    watch.unwatch(job.attempt.taskId);
  }
}

async function followToTheEnd(dependencies: Dependencies, job: Job): Promise<JobEnd> {
  const { watch, live, clock, attemptLimitSeconds } = dependencies;
  const { task, attempt, engine, operation, signal } = job;
  const deadline = attempt.beganAt.getTime() + attemptLimitSeconds * 1000;
  let unreachableSince: number | null = null;
  for (;;) {
    job.heartbeat();
    const isWanted = signal.aborted
      ? await askRow(dependencies, attempt)
      : isStillOurs(watch.standing(attempt.taskId), attempt);
    if (!isWanted) {
      await engine.cancel(operation).catch(() => undefined); // the owner repeats it until the slot is free
      return { kind: 'not-wanted' };
    }
    if (signal.aborted) return { kind: 'left-running' };

    const state = await engine.poll(operation).catch((): null => null);
    // A job that has succeeded counts however late somebody looks: the store may have been away for hours.
    if (state?.state !== 'succeeded' && clock.now().getTime() > deadline) {
      await engine.cancel(operation).catch(() => undefined);
      return { kind: 'deadline' };
    }
    if (state === null) {
      unreachableSince ??= clock.now().getTime();
      if (clock.now().getTime() - unreachableSince > unreachableSeconds * 1000) {
        return { kind: 'failed', code: 'engine_lost', isJobOver: false };
      }
    } else {
      unreachableSince = null;
      const end = endOf(state);
      if (end) return end;
      if (state.state === 'running') failpoint('while-rendering');
      live.report(task, {
        attempt: attempt.attempt,
        stage: 'rendering',
        progress: state.state === 'running' ? Math.min(99, Math.floor(state.progress ?? 0)) : 0,
        progressSource: state.state === 'running' && state.progress !== null ? 'engine' : 'none',
      });
    }
    await pause(pollEveryMilliseconds, undefined, { signal }).catch(() => undefined);
  }
}

function endOf(state: JobState): JobEnd | null {
  switch (state.state) {
    case 'waiting':
    case 'running':
      return null;
    case 'succeeded':
      return { kind: 'succeeded' };
    case 'failed':
      return isRejectionCode(state.code)
        ? { kind: 'rejected', code: state.code }
        : { kind: 'failed', code: state.code, isJobOver: true };
    case 'lost':
      return { kind: 'failed', code: 'engine_lost', isJobOver: false };
  }
}

function isStillOurs(standing: { status: string; attempt: number } | null, attempt: Attempt): boolean {
  return standing === null || (standing.status === 'in_progress' && standing.attempt === attempt.attempt);
}

async function askRow({ db }: Dependencies, attempt: Attempt): Promise<boolean> {
  const task = await db.tasks.find(attempt.taskId);
  return task !== null && isStillOurs(task, attempt);
}
