import { cancellationSignal } from '@temporalio/activity';
import type { Attempt } from '../db/attempts.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import type { Clock } from '../domain/clock.ts';
import type { TaskFailureCode } from '../domain/failure.ts';
import { rawKey } from '../domain/object-key.ts';
import type { Step } from '../domain/step.ts';
import { isFinal, type Task } from '../domain/task.ts';
import type { Engine, EngineOperation, RenderRequest } from '../engines/engine.ts';
import type { Registry } from '../engines/registry.ts';
import { InputRejected, SubmitRefused } from '../errors.ts';
import type { Images } from '../media/images.ts';
import { beginAttempt } from '../operations/attempts/begin-attempt.ts';
import { noteEndpointOutcome } from '../operations/attempts/note-endpoint-outcome.ts';
import { takeOverAttempt } from '../operations/attempts/take-over-attempt.ts';
import { failpoint } from '../telemetry/failpoints.ts';
import { logSeconds } from '../telemetry/log-seconds.ts';
import { adoptJob } from './adopt-job.ts';
import { attemptIds, jobIds } from './attempt-ids.ts';
import { attemptLost, giveSlotBack, noteOutcome, rejectTask } from './end-attempt.ts';
import type { EngineUses } from './engine-uses.ts';
import { failAndLog } from './fail-and-log.ts';
import type { FinishHere } from './finish-here.ts';
import { forcedFailureOf, forceFailure } from './forced-outcome.ts';
import { elsewhereMilliseconds, isBetterElsewhere } from './is-better-elsewhere.ts';
import { createKnownElsewhere, type KnownElsewhere, leftMilliseconds } from './known-elsewhere.ts';
import { leaveToOthers } from './leave-to-others.ts';
import { type Prepared, prepareRender } from './prepare-render.ts';
import { retryAttempt } from './retry-attempt.ts';
import { type RunJobDependencies, runJobToEnd } from './run-job-to-end.ts';
import type { BoardSlot, Claim } from './slot-board.ts';
import { stepOfRow } from './step-of-row.ts';
import { whileAlive } from './while-alive.ts';

const submitTimeoutMilliseconds = 10_000;
const prepareRetryMilliseconds = 2_000;
/** 3 s: an attempt is taken over after 15 s of silence at the earliest, and a submit lasts at most 10 s. */
const heldMilliseconds = 3_000;
/** 10 s: short compared with a render. After that the slot is for the next task, which may need no image. */
const storeAwayMilliseconds = 10_000;
/** 5: a process that fits images may be killed now and then; an image that kills five will kill the sixth. */
const maximumUnfitTries = 5;
/** 2 s: long enough for another worker to be given the task, and at most 15 times. */
const requeueMilliseconds = 2_000;
/** 3, so 6 s: a relay admits the tasks of a pool within seconds after the pool is served again. */
const maximumUnadmittedLooks = 3;

interface Dependencies extends RunJobDependencies {
  catalogue: () => Catalogue;
  images: Images;
  registry: Registry;
  engineUses: EngineUses;
}

export type GenerateActivities = ReturnType<typeof generateActivities>;
export type FollowActivities = ReturnType<typeof followActivities>;

export function generateActivities(dependencies: Dependencies & { finishHere: FinishHere | null }) {
  const elsewhere = createKnownElsewhere(dependencies);
  return {
    /** Takes a slot for the task, submits it to the engine, and stays until the task is finished or its output stored. */
    async generate({ taskId }: { taskId: string }): Promise<Step> {
      return whileAlive(dependencies, async () => {
        const begun = await begin({ ...dependencies, elsewhere }, taskId);
        if (typeof begun === 'string') return begun;
        const { task, attempt, engine } = begun;
        const forced = forcedFailureOf(begun.task);
        if (forced) return forceFailure(dependencies, attempt, forced);
        const request = { ...begun.request, jobId: attempt.engineJobId };
        return using(dependencies, engine, attempt, async () => {
          const operation = await submit(dependencies, request, begun);
          return typeof operation === 'string'
            ? operation
            : runJobToEnd(dependencies, task, attempt, engine, operation, dependencies.finishHere);
        });
      });
    },
  };
}

export function followActivities(dependencies: Dependencies) {
  const elsewhere = createKnownElsewhere(dependencies);
  return {
    /**
     * Takes over where a generate ended without a result, by the state of the row, the storage and the engine, in this
     * order.
     */
    async follow({ taskId }: { taskId: string }): Promise<Step> {
      return whileAlive(dependencies, async () => {
        await leaveToOthers(dependencies, elsewhere, taskId);
        const taken = await takeOverAttempt(dependencies, taskId);
        if (taken.kind === 'final') return 'ended';
        if (taken.kind === 'not-begun') return 'generate';
        const { task, attempt } = taken;
        dependencies.log.info({ event: 'attempt.taken_over', ...attemptIds(attempt) }, 'attempt taken over');
        if (await dependencies.storage.head(rawKey(taskId, attempt.attempt))) {
          await giveSlotBack(dependencies, attempt);
          return 'finish';
        }
        const engine = dependencies.registry.find(attempt.endpointId)?.engine;
        if (!engine) return attemptLost(dependencies, attempt);
        return using(dependencies, engine, attempt, async () => {
          const operation =
            attempt.operation ?? (await adoptJob(dependencies, task, attempt, engine, cancellationSignal()));
          // Not finished here: if finishing ends the process, the media queue counts its tries.
          if (operation !== null) return runJobToEnd(dependencies, task, attempt, engine, operation, null);
          if (await dependencies.db.attempts.isHeld(attempt)) {
            await noteOutcome(dependencies, task, attempt, 'engine_lost');
          }
          return attemptLost(dependencies, attempt);
        });
      });
    },
  };
}

/**
 * Keeps the engine open during the work. An engine that left the configuration and was closed is out of reach: its jobs
 * are lost.
 */
async function using(
  dependencies: Dependencies,
  engine: Engine,
  attempt: Attempt,
  work: () => Promise<Step>,
): Promise<Step> {
  const leave = dependencies.engineUses.enter(engine);
  if (!leave) return attemptLost(dependencies, attempt);
  try {
    return await work();
  } finally {
    leave();
  }
}

/** A task whose attempt has begun. */
type BegunTask = Exclude<Awaited<ReturnType<typeof begin>>, string>;

/**
 * Prepares the request, takes a free slot and begins an attempt. Returns the workflow's next step if there is nothing
 * to begin.
 */
async function begin(dependencies: Dependencies & { elsewhere: KnownElsewhere }, taskId: string) {
  const { db, board, registry, elsewhere, clock } = dependencies;
  const claim = board.openClaim();
  const waitsUntil = clock.elapsed() + storeAwayMilliseconds;
  let unfitTries = 0;
  let unadmittedLooks = 0;
  try {
    for (;;) {
      const task = await db.tasks.find(taskId);
      if (!task || isFinal(task.status)) return 'ended';
      if (task.status === 'in_progress') return 'follow';
      if (!task.counters.isAdmitted) {
        // It was given back while its pool had no endpoint. Its next admission starts a workflow again.
        if (unadmittedLooks === maximumUnadmittedLooks) return 'ended';
        unadmittedLooks += 1;
        claim.close();
        await clock.wait(prepareRetryMilliseconds, cancellationSignal());
        continue;
      }
      // Before an attempt begins: while the storage is unreachable, a task with an image must not use up its attempts.
      const request = await prepareRender(dependencies, task);
      if (request === 'no-model' && (await elsewhere.hasModel(taskId, task.model))) {
        claim.close(); // other tasks may use the slot
        await clock.wait(leftMilliseconds, cancellationSignal());
        return 'generate';
      }
      if (request === 'unfit') unfitTries += 1;
      const code =
        request === 'gone' || request === 'no-model' || unfitTries === maximumUnfitTries ? codeOf(request) : null;
      if (code !== null) {
        await failAndLog(dependencies, taskId, { code, stage: 'waiting', attempt: task.attempt });
        return stepOfRow(dependencies, taskId);
      }
      if (typeof request === 'string') {
        // The claim stays open during the pause. Otherwise the worker would be given one task with an image after the
        // other, without limit, and all of them would wait here.
        if (request === 'store-away' && clock.elapsed() >= waitsUntil) return 'generate';
        await clock.wait(prepareRetryMilliseconds, cancellationSignal());
        continue;
      }
      const former = task.attempt > 1 ? await db.attempts.find(taskId, task.attempt - 1) : null;
      if (former && (await isBetterElsewhere(dependencies, former))) {
        claim.close(); // other tasks may use the slot during the pause
        await clock.wait(requeueMilliseconds, cancellationSignal());
        return 'generate';
      }
      const place = former ? await takeElsewhere(clock, claim, former.endpointId) : claim.take(null);
      // The slot for which this work was polled is no longer offered: the task goes back into the queue.
      if (!place) return 'generate';
      if (!(await board.isReady(place))) {
        board.settled(place);
        return 'generate';
      }
      const engine = registry.find(place.endpointId)?.engine;
      if (!engine) throw new Error('the board offered a slot of an endpoint that is not configured');
      const begun = await beginAt(dependencies, task, place, engine);
      if (begun.kind === 'begun') {
        logBegun(dependencies, task, begun.attempt);
        return { task, attempt: begun.attempt, engine, request };
      }
      if (begun.kind === 'slot-taken') return 'generate';
    }
  } finally {
    claim.close();
  }
}

function logBegun({ log }: Dependencies, task: Task, attempt: Attempt): void {
  // A later attempt has waited since the end of the one before, not since the creation of the task.
  const queuedSeconds =
    attempt.attempt === 1 ? { queuedSeconds: logSeconds(attempt.beganAt.getTime() - task.createdAt.getTime()) } : {};
  log.info({ event: 'attempt.begun', ...attemptIds(attempt), ...queuedSeconds }, 'attempt begun');
}

async function takeElsewhere(clock: Clock, claim: Claim, avoid: string): Promise<BoardSlot | null> {
  return claim.takeElsewhere(avoid, AbortSignal.any([cancellationSignal(), clock.deadline(elsewhereMilliseconds)]));
}

/** Returns the failure code of a task that cannot be prepared. */
function codeOf(prepared: Prepared): TaskFailureCode {
  if (prepared === 'gone') return 'storage_failed';
  return prepared === 'no-model' ? 'engine_unavailable' : 'internal_error';
}

async function beginAt(dependencies: Dependencies, task: Task, place: BoardSlot, engine: Engine) {
  const { board } = dependencies;
  try {
    const begun = await beginAttempt(dependencies, task, {
      ...place,
      operationFor: (jobId) => engine.operationFor(jobId),
    });
    if (begun.kind === 'not-queued') board.freed(place);
    return begun;
  } finally {
    board.settled(place);
  }
}

/**
 * Returns whether the attempt may be submitted now: this process may have been frozen since the attempt began, and
 * meanwhile the attempt may have been cancelled or taken over. An answer that is too old is asked for again.
 */
async function isHeldNow({ db, clock }: Dependencies, attempt: Attempt): Promise<boolean> {
  for (;;) {
    const askedAt = clock.elapsed();
    if (!(await db.attempts.isHeld(attempt))) return false;
    if (clock.elapsed() - askedAt <= heldMilliseconds) return true;
  }
}

/** Submits the job, once. A job that was not certainly refused may be running, so it is watched like any other. */
async function submit(
  dependencies: Dependencies,
  request: RenderRequest,
  { task, attempt, engine }: BegunTask,
): Promise<EngineOperation | Step> {
  const { board, db, log, live, clock } = dependencies;
  const { taskId } = attempt;
  const ids = jobIds(attempt);
  live.report(task, { attempt: attempt.attempt, stage: 'preparing', progress: 0, progressSource: 'none' });
  if (!(await isHeldNow(dependencies, attempt))) {
    dependencies.maintainEndpoint(attempt.endpointId);
    return stepOfRow(dependencies, taskId);
  }
  const submittedAt = clock.elapsed();
  try {
    const operation = await engine.submit(request, clock.deadline(submitTimeoutMilliseconds));
    failpoint('after-submit');
    const submitSeconds = logSeconds(clock.elapsed() - submittedAt);
    log.info({ event: 'job.submitted', ...ids, submitSeconds }, 'job submitted');
    if (attempt.operation === null) await db.engineJobs.name(attempt, operation);
    return operation;
  } catch (error) {
    if (error instanceof SubmitRefused) {
      // After one refusal the endpoint gets no jobs until its next probe passes. That probe is not hurried: refusals
      // in a row must span as many probes of its owner, not a tenth of a second.
      board.stopOffering(attempt.endpointId);
      log.warn({ event: 'job.refused', ...ids, kind: error.kind }, 'job refused');
      // A healthy server may refuse every job, for example because its workers are dead. The breaker stops that.
      if (error.kind === 'unreachable') await noteEndpointOutcome(dependencies, attempt, 'engine_unavailable');
      return retryAttempt(dependencies, attempt, { outcome: 'refused', stage: 'preparing', isJobOver: true });
    }
    if (error instanceof InputRejected) return rejectTask(dependencies, attempt, 'engine_rejected_input', 'preparing');
    if (attempt.operation === null) throw error;
    log.warn({ event: 'job.submit_unconfirmed', err: error, ...ids }, 'job submission unconfirmed');
    return attempt.operation;
  }
}
