import type { Attempt } from '../db/attempts/attempt-table.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../domain/clock.ts';
import { type AttemptFailureCode, isRejectionCode, type RejectionCode } from '../domain/failure.ts';
import { servingModelId } from '../domain/model.ts';
import type { Task } from '../domain/task.ts';
import type { Engine, EngineOperation, JobState } from '../engines/engine.ts';
import type { Live } from '../live/live.ts';
import { failpoint } from '../telemetry/failpoints.ts';
import type { Log } from '../telemetry/log.ts';
import { attemptIds } from './attempt-ids.ts';
import { jobDirectiveFor } from './forced-outcome.ts';
import type { TaskWatch } from './task-watch.ts';
import {
  attemptSeconds,
  createWatchdog,
  estimateProgress,
  type Measured,
  type MeasuredSpeeds,
  pollMilliseconds,
} from './watchdog.ts';

/** How long an engine may be silent before its job counts as lost. */
export const unreachableSeconds = 60;
const longestReason = 200;

export interface WatchDependencies {
  db: Pick<Database, 'tasks'>;
  watch: TaskWatch;
  live: Live;
  clock: Clock;
  log: Log;
  speeds: MeasuredSpeeds;
  attemptLimitSeconds: number;
  stallSeconds: number;
}

export type JobEnd =
  /** isStored: the output is in storage already, so that there is nothing to fetch from the engine */
  | { kind: 'succeeded'; isStored: boolean }
  | { kind: 'failed'; code: AttemptFailureCode; isJobOver: boolean }
  | { kind: 'rejected'; code: RejectionCode }
  | { kind: 'deadline' }
  /** The task is final or in another attempt: the engine was told to stop. */
  | { kind: 'not-wanted' }
  /** The activity was stopped but the task was not: the job continues, and another activity will follow it. */
  | { kind: 'left-running' };

interface Job {
  task: Task;
  attempt: Attempt;
  engine: Engine;
  operation: EngineOperation;
  /** Temporal's cancellation of the activity: a shutdown, a timeout or a hint. */
  signal: AbortSignal;
}

/** Watches a job until it ends. The task's row, not the activity's cancellation, decides whether it is still wanted. */
export async function watchJob(dependencies: WatchDependencies, job: Job): Promise<JobEnd> {
  const { watch } = dependencies;
  watch.watch(job.attempt.taskId);
  try {
    return await followToTheEnd(dependencies, job);
  } finally {
    watch.unwatch(job.attempt.taskId);
  }
}

async function followToTheEnd(dependencies: WatchDependencies, job: Job): Promise<JobEnd> {
  const { watch, clock, speeds } = dependencies;
  const { task, attempt, engine, operation, signal } = job;
  const measured = speeds.find(servingModelId(task), task.resolution, task.durationSeconds);
  const beganAt = attempt.beganAt.getTime();
  const limitMilliseconds = attemptSeconds(dependencies.attemptLimitSeconds, measured) * 1000;
  const watchedFrom = clock.now().getTime();
  // A test prompt may force a delay, which is not a stall.
  const floorSeconds = dependencies.stallSeconds + (jobDirectiveFor(task)?.delaySeconds ?? 0);
  const watchdog = createWatchdog({ floorSeconds, beganAt, measured });
  let unreachableSince: number | null = null;
  for (;;) {
    const isWanted = signal.aborted
      ? await isWantedByRow(dependencies, attempt)
      : isStillOurs(watch.state(attempt.taskId), attempt);
    if (!isWanted) {
      await engine.cancel(operation).catch(() => undefined); // the owner repeats it until the slot is free
      return { kind: 'not-wanted' };
    }
    if (signal.aborted) return { kind: 'left-running' };

    const state = await engine.poll(operation).catch((): null => null);
    const now = clock.now().getTime();
    // Only a job that still occupies the engine can miss its deadline. One that has ended counts however late it is
    // polled, and one that was lost while nobody watched it is worth another attempt. If the engine does not respond,
    // only the time counts in which we watched: our own outage says nothing about the job.
    const isOccupying = state?.state === 'waiting' || state?.state === 'running';
    const isOverdue = state === null ? now - watchedFrom > limitMilliseconds : now - beganAt > limitMilliseconds;
    if ((isOccupying || state === null) && isOverdue) {
      await engine.cancel(operation).catch(() => undefined);
      return { kind: 'deadline' };
    }
    if (state === null) {
      unreachableSince ??= now;
      if (now - unreachableSince > unreachableSeconds * 1000) {
        return { kind: 'failed', code: 'engine_lost', isJobOver: false };
      }
    } else {
      unreachableSince = null;
      const end = endOf(state);
      if (state.state === 'failed') logFailure(dependencies, attempt, state);
      if (end) return end;
      if (state.state === 'running') failpoint('while-rendering');
      const progress = state.state === 'running' ? state.progress : null;
      if (watchdog.isStalled(progress, now)) {
        await engine.cancel(operation).catch(() => undefined);
        return { kind: 'failed', code: 'generation_stalled', isJobOver: false };
      }
      reportProgress(dependencies, job, progress, state.state === 'running' ? measured : null);
    }
    await clock.wait(pollMilliseconds(now - beganAt, measured), signal).catch(() => undefined);
  }
}

/** Reports the engine's progress, or else an estimate from the durations of similar jobs. */
function reportProgress(
  { live, clock }: WatchDependencies,
  job: Job,
  progress: number | null,
  measured: Measured,
): void {
  const { task, attempt } = job;
  const secondsSinceBegin = (clock.now().getTime() - attempt.beganAt.getTime()) / 1000;
  const estimate = progress === null ? estimateProgress(secondsSinceBegin, measured) : null;
  live.report(task, {
    attempt: attempt.attempt,
    stage: 'rendering',
    progress: Math.min(99, Math.floor(progress ?? estimate ?? 0)),
    progressSource: progress !== null ? 'engine' : estimate !== null ? 'estimated' : 'none',
  });
}

/** Logs an engine's error text, which only operators may see. */
function logFailure(
  { log }: WatchDependencies,
  attempt: Attempt,
  { code, reason }: JobState & { state: 'failed' },
): void {
  log.warn({ event: 'job.failed', ...attemptIds(attempt), code, reason: reason.slice(0, longestReason) }, 'job failed');
}

function endOf(state: JobState): JobEnd | null {
  switch (state.state) {
    case 'waiting':
    case 'running':
      return null;
    case 'succeeded':
      return { kind: 'succeeded', isStored: state.isStored === true };
    case 'failed':
      return isRejectionCode(state.code)
        ? { kind: 'rejected', code: state.code }
        : { kind: 'failed', code: state.code, isJobOver: true };
    case 'lost':
      return { kind: 'failed', code: 'engine_lost', isJobOver: false };
  }
}

function isStillOurs(state: { status: string; attempt: number } | null, attempt: Attempt): boolean {
  return state === null || (state.status === 'in_progress' && state.attempt === attempt.attempt);
}

async function isWantedByRow({ db }: WatchDependencies, attempt: Attempt): Promise<boolean> {
  const task = await db.tasks.find(attempt.taskId);
  return task !== null && isStillOurs(task, attempt);
}
