import type { Tables } from '../../db/database.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Task, TaskRequest } from '../../domain/task.ts';
import { AppError, WaitingLimitReached } from '../../errors.ts';
import { failpoint } from '../../telemetry/failpoints.ts';
import { admitTasks } from '../queue/admit-tasks.ts';
import { relayDelayMilliseconds } from '../queue/workflow-client.ts';
import type { WorkflowParts } from '../queue/workflow-parts.ts';
import { type HeldKey, takeKey } from './idempotency.ts';
import { refuseOverLimit, tooManyWaiting } from './refuse-over-limit.ts';

interface AcceptedTask {
  task: Task;
  /** The project's creation limit after this create. */
  createAllowedAt: Date;
  /** To be called once the response is on its way: starts the workflow, so that 200 never waits for Temporal. */
  onSent: () => void;
}

/** Counts, stores and admits a task in one statement, so that only a create with a key needs a transaction. */
export async function acceptTask(
  { db, workflows, clock }: WorkflowParts,
  caller: Pick<Caller, 'projectId' | 'livemode' | 'keyId'>,
  id: string,
  request: TaskRequest,
  key: (HeldKey & { respond: (task: Task) => string }) | null = null,
): Promise<AcceptedTask> {
  const now = clock.now();
  const task = queuedTask(caller, id, request, now);
  const accept = async (tables: Pick<Tables, 'acceptances' | 'projectSlots'>) => {
    const acceptance = await tables.acceptances.accept(task, relayDelayMilliseconds).catch((error: unknown) => {
      throw error instanceof WaitingLimitReached ? tooManyWaiting('this model') : error;
    });
    if (acceptance) return acceptance;
    await refuseOverLimit(tables, caller, request.pool, request.image?.sizeBytes ?? 0);
    // Since the refusal, enough time has passed for one more create.
    const message = 'Rate limit reached for creates. Try again in 1 s.';
    throw new AppError('rate_limited', { retryAfterSeconds: 1, message });
  };
  const { createAllowedAt, start, hasRoomForWaiting } = key
    ? await db.transaction(async (tables) => {
        await takeKey(tables, key, { taskId: id, response: key.respond(task) }, now);
        return accept(tables);
      })
    : await accept(db);
  failpoint('after-accept-commit');
  // The task is committed, so this must not fail: the caller would create another one. The reconciler admits it then.
  const admitted = hasRoomForWaiting ? await admitTasks(db, caller, now).catch(() => []) : [];
  return {
    task,
    createAllowedAt,
    onSent: () => {
      failpoint('after-answer');
      workflows.startSoon(start ? [start, ...admitted] : admitted);
    },
  };
}

/** Returns a task as its row is stored. */
function queuedTask(
  { projectId, livemode, keyId }: Pick<Caller, 'projectId' | 'livemode' | 'keyId'>,
  id: string,
  request: TaskRequest,
  createdAt: Date,
): Task {
  return {
    id,
    projectId,
    livemode,
    keyId,
    version: 1,
    attempt: 1,
    type: request.type,
    model: request.model,
    pool: request.pool,
    prompt: request.prompt,
    negativePrompt: request.negativePrompt,
    resolution: request.resolution,
    aspectRatio: request.aspectRatio,
    durationSeconds: request.durationSeconds,
    seed: request.seed,
    image: request.image,
    warnings: request.warnings,
    metadata: request.metadata,
    callbackUrl: request.callbackUrl,
    callbackEvents: request.callbackEvents,
    price: request.price ?? null,
    createdAt,
    startedAt: null,
    engineSeconds: 0,
    deletedAt: null,
    status: 'queued',
    admittedAt: null,
  };
}
