import { cancellationSignal } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Attempt } from '../db/attempts/attempt-table.ts';
import { rawKey } from '../domain/object-key.ts';
import type { Step } from '../domain/step.ts';
import type { Task } from '../domain/task.ts';
import type { Engine, EngineOperation } from '../engines/engine.ts';
import { OutputInvalid } from '../errors.ts';
import type { Storage } from '../storage/storage.ts';
import { logSeconds } from '../telemetry/log-seconds.ts';
import { jobIds } from './attempt-ids.ts';
import { attemptFailed, type EndDependencies, giveSlotBack, noteOutcome, rejectTask } from './end-attempt.ts';
import { failAndLog } from './fail-and-log.ts';
import type { FinishHere } from './finish-here.ts';
import { nextWorkflowStep } from './next-workflow-step.ts';
import { FetchFailed, storeRaw } from './store-raw.ts';
import { type WatchDependencies, watchJob } from './watch-job.ts';

/** How long an engine may fail to deliver the file of a finished job; the limit of an attempt may be shorter. */
const longestFetchSeconds = 600;

export interface RunJobDependencies extends EndDependencies, Omit<WatchDependencies, 'db'> {
  storage: Storage;
}

/** Watches the job, frees its slot when it ends, and finishes the task or stores the output for the media queue. */
export async function runJobToEnd(
  dependencies: RunJobDependencies,
  task: Task,
  attempt: Attempt,
  engine: Engine,
  operation: EngineOperation,
  finishHere: FinishHere | null,
): Promise<Step> {
  const { db, maintainEndpoint, storage, log } = dependencies;
  const ids = jobIds(attempt);
  const signal = cancellationSignal();
  const end = await watchJob(dependencies, { task, attempt, engine, operation, signal });
  switch (end.kind) {
    case 'not-wanted':
      log.info({ event: 'job.cancelled', ...ids }, 'job cancelled');
      maintainEndpoint(attempt.endpointId);
      return nextWorkflowStep(dependencies, attempt.taskId);
    case 'left-running':
      // Retryable, because `follow` throws this too: its next try continues with the job.
      throw ApplicationFailure.retryable('the job was left running for the worker that follows it', 'LeftRunning');
    case 'deadline':
      if (await db.attempts.isHeld(attempt)) await noteOutcome(dependencies, task, attempt, 'deadline_exceeded');
      await failAndLog(dependencies, attempt.taskId, {
        code: 'deadline_exceeded',
        stage: 'rendering',
        attempt: attempt.attempt,
      });
      maintainEndpoint(attempt.endpointId);
      return nextWorkflowStep(dependencies, attempt.taskId);
    case 'rejected': {
      const step = await rejectTask(dependencies, attempt, end.code, 'rendering');
      await discard(engine, operation, step);
      // The input or the output was at fault: the endpoint did its work.
      await noteOutcome(dependencies, task, attempt, 'succeeded');
      return step;
    }
    case 'failed':
      // The previous holder of the attempt may have stored its output and discarded the job between our two polls.
      if (!end.isJobOver && (await storage.head(rawKey(attempt.taskId, attempt.attempt)))) return 'finish';
      // A former holder must not count the same end against the endpoint, nor one that the present holder disproves.
      if (end.code !== 'output_invalid' && (await db.attempts.isHeld(attempt))) {
        await noteOutcome(dependencies, task, attempt, end.code);
      }
      return attemptFailed(dependencies, attempt, { outcome: end.code, stage: 'rendering', isJobOver: end.isJobOver });
    case 'succeeded':
      return endRendered(dependencies, task, attempt, { engine, operation, isStored: end.isStored, finishHere });
  }
}

/** Frees the slot of a job that is done, and finishes the task or stores the output for the media queue. */
async function endRendered(
  dependencies: RunJobDependencies,
  task: Task,
  attempt: Attempt,
  {
    engine,
    operation,
    isStored,
    finishHere,
  }: { engine: Engine; operation: EngineOperation; isStored: boolean; finishHere: FinishHere | null },
): Promise<Step> {
  const { clock, log } = dependencies;
  const isHolder = await giveSlotBack(dependencies, attempt);
  if (!isHolder) return nextWorkflowStep(dependencies, attempt.taskId);
  // A worker that takes over an attempt whose slot is free only fetches the output.
  if (attempt.slotFreedAt === null) {
    const engineSeconds = logSeconds(clock.now().getTime() - attempt.beganAt.getTime());
    log.info({ event: 'job.rendered', ...jobIds(attempt), engineSeconds }, 'job rendered');
  }
  await noteOutcome(dependencies, task, attempt, 'succeeded');
  if (isStored) return keepRaw(dependencies, attempt, engine, operation);
  const freed = { ...attempt, slotFreedAt: attempt.slotFreedAt ?? clock.now() };
  const step = (await finishHere?.(task, freed, engine, operation)) ?? null;
  if (step === null) return fetchRaw(dependencies, freed, engine, operation);
  await discard(engine, operation, step);
  return step;
}

/** Copies the output into the storage. If the storage or the engine is unreachable, `follow` tries both again. */
async function fetchRaw(
  dependencies: RunJobDependencies,
  attempt: Attempt & { slotFreedAt: Date },
  engine: Engine,
  operation: EngineOperation,
): Promise<Step> {
  const { storage, clock, log } = dependencies;
  const raw = rawKey(attempt.taskId, attempt.attempt);
  const freedAt = attempt.slotFreedAt;
  try {
    await storeRaw({ storage, engine, operation }, raw);
  } catch (error) {
    // The time in which the storage is unreachable does not count.
    const fetchSeconds = Math.min(longestFetchSeconds, dependencies.attemptLimitSeconds);
    const isGivenUp = error instanceof FetchFailed && clock.now().getTime() - freedAt.getTime() > fetchSeconds * 1000;
    if (!(error instanceof OutputInvalid) && !isGivenUp) throw error;
    // The previous holder of the attempt may have stored its output and discarded the job.
    if (await storage.head(raw)) return 'finish';
    log.warn(
      { event: 'output.fetch_failed', err: error, taskId: attempt.taskId, endpoint: attempt.endpointId },
      'engine output not available',
    );
    const end = { outcome: 'output_invalid', stage: 'rendering', isJobOver: true } as const;
    const step = await attemptFailed(dependencies, attempt, end);
    await discard(engine, operation, step);
    return step;
  }
  return keepRaw(dependencies, attempt, engine, operation);
}

/** Discards the job at the engine, because its output is stored. */
async function keepRaw(
  dependencies: RunJobDependencies,
  attempt: Attempt,
  engine: Engine,
  operation: EngineOperation,
): Promise<Step> {
  await discard(engine, operation, 'finish');
  // If the task was cancelled or deleted, the workflow may never reach `finish`, which would delete the object.
  const step = await nextWorkflowStep(dependencies, attempt.taskId);
  // A missing row does not say that: the database may be an older copy.
  if (step === 'ended' && (await dependencies.db.tasks.find(attempt.taskId)))
    await dependencies.storage.delete([rawKey(attempt.taskId, attempt.attempt)]);
  return step === 'ended' ? step : 'finish';
}

/** Deletes the job and its files at the engine. An unreachable engine forgets them by itself after a while. */
async function discard(engine: Engine, operation: EngineOperation, next: Step): Promise<void> {
  // Another worker has taken the attempt over, and may be fetching the output.
  if (next === 'follow') return;
  await engine.discard(operation).catch(() => undefined);
}
