import { setTimeout as pause } from 'node:timers/promises';
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Attempt } from '../db/attempts.ts';
import type { Database } from '../db/database.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import type { Clock } from '../domain/clock.ts';
import type { TaskFailureCode } from '../domain/failure.ts';
import { rawKey } from '../domain/object-key.ts';
import { isFinal, type Task } from '../domain/task.ts';
import type { Engine, EngineOperation, RenderRequest } from '../engines/engine.ts';
import type { Registry } from '../engines/registry.ts';
import { InputRejected, SubmitRefused } from '../errors.ts';
import type { Live } from '../live/live.ts';
import type { Images } from '../media/images.ts';
import { beginAttempt } from '../operations/begin-attempt.ts';
import { failTask } from '../operations/end-task.ts';
import { freeSlot } from '../operations/free-slot.ts';
import { takeOverAttempt } from '../operations/take-over-attempt.ts';
import type { WorkflowClient } from '../operations/workflow-client.ts';
import type { Storage } from '../storage/storage.ts';
import { failpoint } from '../telemetry/failpoints.ts';
import type { Log } from '../telemetry/log.ts';
import type { Step } from '../workflows/generate-video.ts';
import { forcedFailureOf, forceFailure } from './forced-outcome.ts';
import { type Prepared, prepareRender } from './prepare-render.ts';
import type { BoardSlot, SlotBoard } from './slot-board.ts';
import { stepOfRow } from './step-of-row.ts';
import { storeRaw } from './store-raw.ts';
import type { TaskWatch } from './task-watch.ts';
import { tryAgain } from './try-again.ts';
import { watchJob } from './watch-job.ts';
import { whileAlive } from './while-alive.ts';

const submitTimeoutMilliseconds = 10_000;
const prepareAgainMilliseconds = 2_000;
/** A child that fits images may be killed now and then; an image that kills five of them will kill the sixth. */
const maximumUnfitTries = 5;

interface Dependencies {
  db: Database;
  catalogue: () => Catalogue;
  storage: Storage;
  images: Images;
  workflows: WorkflowClient;
  registry: Registry;
  board: SlotBoard;
  /** Asks the owners of endpoints to look at their leases now: a slot may be ready to be freed. */
  tendEndpoints: () => void;
  watch: TaskWatch;
  live: Live;
  clock: Clock;
  log: Log;
  attemptLimitSeconds: number;
}

export type GenerateActivities = ReturnType<typeof generateActivities>;
export type FollowActivities = ReturnType<typeof followActivities>;

export function generateActivities(dependencies: Dependencies) {
  return {
    /** Takes a slot for the task, submits it to the engine, and stays with the job until its output is stored. */
    async generate({ taskId }: { taskId: string }): Promise<Step> {
      return whileAlive(async () => {
        const begun = await begin(dependencies, taskId);
        if (typeof begun === 'string') return begun;
        const { task, attempt, engine } = begun;
        const forced = forcedFailureOf(begun.task);
        if (forced) return forceFailure(dependencies, attempt, forced);
        const request = { ...begun.request, jobId: attempt.engineJobId };
        const operation = await submit(dependencies, request, task, attempt, engine);
        return typeof operation === 'string' ? operation : seeThrough(dependencies, task, attempt, engine, operation);
      });
    },
  };
}

export function followActivities(dependencies: Dependencies) {
  return {
    /** Goes on where a generate ended without a result: with what the row, the store and the engine say, in this order. */
    async follow({ taskId }: { taskId: string }): Promise<Step> {
      return whileAlive(async () => {
        const taken = await takeOverAttempt(dependencies, taskId);
        if (taken.kind === 'final') return 'ended';
        if (taken.kind === 'not-begun') return 'generate';
        const { task, attempt } = taken;
        dependencies.log.info({ taskId, attempt: attempt.attempt }, 'attempt taken over');
        if (await dependencies.storage.head(rawKey(taskId, attempt.attempt))) {
          await freeSlot(dependencies, attempt);
          return 'finish';
        }
        const engine = dependencies.registry.find(attempt.endpointId)?.engine;
        const operation = attempt.operation;
        if (!engine || operation === null) {
          return again(dependencies, attempt, { outcome: 'engine_lost', stage: 'rendering', isJobOver: false });
        }
        return seeThrough(dependencies, task, attempt, engine, operation);
      });
    },
  };
}

/** Prepares the request, takes a free slot and begins. The step to go on with where there is nothing to begin. */
async function begin(dependencies: Dependencies, taskId: string) {
  const { db, board, registry } = dependencies;
  const claim = board.openClaim();
  let unfitTries = 0;
  try {
    for (;;) {
      const task = await db.tasks.find(taskId);
      if (!task || isFinal(task.status)) return 'ended';
      if (task.status === 'in_progress') return 'follow';
      // Before a slot is taken: while the store is away an image's task waits, and costs neither a slot nor an attempt.
      const request = await prepareRender(dependencies, task);
      if (request === 'unfit') unfitTries += 1;
      const code =
        request === 'gone' || request === 'no-model' || unfitTries === maximumUnfitTries ? codeOf(request) : null;
      if (code !== null) {
        await failTask(dependencies, taskId, { code, stage: 'waiting', attempt: task.attempt });
        return 'ended';
      }
      if (typeof request === 'string') {
        claim.close(); // other tasks may have the slot meanwhile
        await pause(prepareAgainMilliseconds, undefined, { signal: cancellationSignal() });
        continue;
      }
      const former = task.attempt > 1 ? await db.attempts.find(taskId, task.attempt - 1) : null;
      const place = claim.take(former?.endpointId ?? null);
      // The slot this work was asked for is gone (its endpoint closed meanwhile): back into the queue.
      if (!place) return 'generate';
      const begun = await beginAt(dependencies, task, place);
      if (begun.kind === 'begun') {
        const engine = registry.find(place.endpointId)?.engine;
        if (!engine) throw new Error('a slot of an endpoint that is not configured');
        return { task, attempt: begun.attempt, engine, request };
      }
      if (begun.kind === 'slot-taken') return 'generate';
    }
  } finally {
    claim.close();
  }
}

/** Why a task that cannot be prepared fails. */
function codeOf(prepared: Prepared): TaskFailureCode {
  if (prepared === 'gone') return 'storage_failed';
  return prepared === 'no-model' ? 'engine_unavailable' : 'internal_error';
}

async function beginAt(dependencies: Dependencies, task: Task, place: BoardSlot) {
  const { board, registry } = dependencies;
  try {
    const begun = await beginAttempt(dependencies, task, {
      ...place,
      operationFor: (jobId) => registry.find(place.endpointId)?.engine.operationFor(jobId) ?? null,
    });
    if (begun.kind === 'not-queued') board.freed(place);
    return begun;
  } finally {
    board.settled(place);
  }
}

/** Hands the job to the engine, once. What is not certainly refused may be running, so it is watched like any job. */
async function submit(
  dependencies: Dependencies,
  request: RenderRequest,
  task: Task,
  attempt: Attempt,
  engine: Engine,
): Promise<EngineOperation | Step> {
  const { board, db, log, live } = dependencies;
  const { taskId } = attempt;
  live.report(task, { attempt: attempt.attempt, stage: 'preparing', progress: 0, progressSource: 'none' });
  // This process may have slept since begin: whoever was cancelled or taken over submits nothing.
  if (!(await db.attempts.isHeld(attempt))) {
    dependencies.tendEndpoints();
    return stepOfRow(dependencies, taskId);
  }
  try {
    const operation = await engine.submit(request, AbortSignal.timeout(submitTimeoutMilliseconds));
    failpoint('after-submit');
    if (attempt.operation === null) await db.attempts.setOperation(attempt, operation);
    return operation;
  } catch (error) {
    if (error instanceof SubmitRefused) {
      // One refused connection closes the endpoint until a probe passes.
      board.close(attempt.endpointId);
      return again(dependencies, attempt, { outcome: 'refused', stage: 'preparing', isJobOver: true });
    }
    if (error instanceof InputRejected) {
      await failTask(dependencies, taskId, {
        code: 'engine_rejected_input',
        stage: 'preparing',
        attempt: attempt.attempt,
      });
      dependencies.tendEndpoints();
      return 'ended';
    }
    if (attempt.operation === null) throw error;
    log.warn({ err: error, taskId }, 'nobody knows whether the engine took the job: it is watched');
    return attempt.operation;
  }
}

/** Watches the job, frees its slot when it ends, and stores what it made. */
async function seeThrough(
  dependencies: Dependencies,
  task: Task,
  attempt: Attempt,
  engine: Engine,
  operation: EngineOperation,
): Promise<Step> {
  const { board, tendEndpoints, storage } = dependencies;
  const signal = cancellationSignal();
  const end = await watchJob(dependencies, { task, attempt, engine, operation, signal, heartbeat });
  switch (end.kind) {
    case 'not-wanted':
      tendEndpoints();
      return stepOfRow(dependencies, attempt.taskId);
    case 'left-running':
      // Retryable, because `follow` says this too: its next try goes on with the job.
      throw ApplicationFailure.retryable('the job was left running for whoever follows it', 'LeftRunning');
    case 'deadline':
      await failTask(dependencies, attempt.taskId, {
        code: 'deadline_exceeded',
        stage: 'rendering',
        attempt: attempt.attempt,
      });
      tendEndpoints();
      return 'ended';
    case 'rejected': {
      const { code } = end;
      await failTask(dependencies, attempt.taskId, { code, stage: 'rendering', attempt: attempt.attempt });
      tendEndpoints();
      return 'ended';
    }
    case 'failed':
      // Whoever held the attempt before may have stored its output and discarded the job between our two looks.
      if (!end.isJobOver && (await storage.head(rawKey(attempt.taskId, attempt.attempt)))) return 'finish';
      return again(dependencies, attempt, { outcome: end.code, stage: 'rendering', isJobOver: end.isJobOver });
    case 'succeeded': {
      const isHolder = await freeSlot(dependencies, attempt);
      if (!isHolder) return stepOfRow(dependencies, attempt.taskId);
      // A slot that an earlier holder has freed may serve another task by now.
      if (attempt.slotFreedAt === null) board.freed(attempt);
      // When this fails, the store or the engine is away: `follow` asks both again.
      const raw = rawKey(attempt.taskId, attempt.attempt);
      await storeRaw({ storage, engine, operation }, raw);
      // Cancelled or deleted meanwhile: the workflow may never come to `finish`, which would take the object away.
      const step = await stepOfRow(dependencies, attempt.taskId);
      if (step === 'ended') await storage.delete([raw]);
      return step === 'ended' ? step : 'finish';
    }
  }
}

async function again(dependencies: Dependencies, attempt: Attempt, end: Parameters<typeof tryAgain>[2]): Promise<Step> {
  dependencies.log.warn({ taskId: attempt.taskId, attempt: attempt.attempt, outcome: end.outcome }, 'attempt failed');
  const step = await tryAgain(dependencies, attempt, end);
  dependencies.tendEndpoints();
  return step;
}
