import { cancellationSignal } from '@temporalio/activity';
import type { Attempt } from '../db/attempts/attempt-table.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import { rawKey } from '../domain/object-key.ts';
import type { Step } from '../domain/step.ts';
import type { Engine, EngineOperation, RenderRequest } from '../engines/engine.ts';
import type { Registry } from '../engines/registry.ts';
import { InputRejected, SubmitRefused } from '../errors.ts';
import type { Images } from '../media/images.ts';
import { submitsWithinSeconds } from '../operations/attempts/follow-gone-workers.ts';
import { noteEndpointOutcome } from '../operations/attempts/note-endpoint-outcome.ts';
import { takeOverAttempt } from '../operations/attempts/take-over-attempt.ts';
import { failpoint } from '../telemetry/failpoints.ts';
import { logSeconds } from '../telemetry/log-seconds.ts';
import { adoptJob } from './adopt-job.ts';
import { attemptIds, jobIds } from './attempt-ids.ts';
import { type BegunRender, beginRender } from './begin-render.ts';
import { deferToOtherWorker } from './defer-to-other-worker.ts';
import { attemptLost, giveSlotBack, noteOutcome, rejectTask } from './end-attempt.ts';
import type { EngineUses } from './engine-uses.ts';
import type { FinishHere } from './finish-here.ts';
import { forcedFailureOf, forceFailure } from './forced-outcome.ts';
import { nextWorkflowStep } from './next-workflow-step.ts';
import { createOtherWorkers } from './other-workers.ts';
import { retryAttempt } from './retry-attempt.ts';
import { type RunJobDependencies, runJobToEnd } from './run-job-to-end.ts';
import { whileAlive } from './while-alive.ts';

const submitTimeoutMilliseconds = 10_000;
const heldMilliseconds = submitsWithinSeconds * 1_000 - submitTimeoutMilliseconds;

interface Dependencies extends RunJobDependencies {
  catalogue: () => Catalogue;
  images: Images;
  registry: Registry;
  engineUses: EngineUses;
  processId: string;
}

export type GenerateActivities = ReturnType<typeof generateActivities>;
export type FollowActivities = ReturnType<typeof followActivities>;

export function generateActivities(dependencies: Dependencies & { finishHere: FinishHere | null }) {
  const elsewhere = createOtherWorkers(dependencies);
  return {
    /** Takes a slot for the task, submits it to the engine, and stays until the task is finished or its output stored. */
    async generate({ taskId }: { taskId: string }): Promise<Step> {
      return whileAlive(dependencies, async () => {
        const begun = await beginRender({ ...dependencies, elsewhere }, taskId);
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
  const elsewhere = createOtherWorkers(dependencies);
  return {
    /** Takes over after a generate without a result, by the state of the row, the storage and the engine in turn. */
    async follow({ taskId }: { taskId: string }): Promise<Step> {
      return whileAlive(dependencies, async () => {
        await deferToOtherWorker(dependencies, elsewhere, taskId);
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

/** Keeps the engine open during the work. The jobs of a closed engine that left the configuration are lost. */
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

/** Returns whether the attempt may be submitted now; an answer that is too old, after a freeze, is asked for again. */
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
  { task, attempt, engine }: BegunRender,
): Promise<EngineOperation | Step> {
  const { board, db, log, live, clock } = dependencies;
  const { taskId } = attempt;
  const ids = jobIds(attempt);
  live.report(task, { attempt: attempt.attempt, stage: 'preparing', progress: 0, progressSource: 'none' });
  if (!(await isHeldNow(dependencies, attempt))) {
    dependencies.maintainEndpoint(attempt.endpointId);
    return nextWorkflowStep(dependencies, taskId);
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
