import { randomInt } from 'node:crypto';
import type { Database } from '../db/database.ts';
import type { Caller } from '../domain/caller.ts';
import type { Clock } from '../domain/clock.ts';
import {
  type GenerationRequest,
  type GenerationType,
  nearestAspectRatio,
  type Warning,
} from '../domain/generation-request.ts';
import { newId } from '../domain/id.ts';
import { findModel } from '../domain/model.ts';
import type { Task, TaskImage, TaskRequest } from '../domain/task.ts';
import { AppError } from '../errors.ts';
import type { Images } from '../media/images.ts';
import type { GuardedFetcher } from '../outbound/guarded-fetch.ts';
import type { Storage } from '../storage/storage.ts';
import { failpoint } from '../telemetry/failpoints.ts';
import { admitTasks } from './admit-tasks.ts';
import { takeImage } from './take-image.ts';
import type { WorkflowClient } from './workflow-client.ts';

interface Dependencies {
  db: Database;
  storage: Storage;
  images: Images;
  fetcher: GuardedFetcher;
  workflows: WorkflowClient;
  clock: Clock;
}

export interface CreateTaskInput {
  caller: Caller;
  type: GenerationType;
  request: GenerationRequest;
  warnings: readonly Warning[];
}

export interface CreatedTask {
  task: Task;
  activeTasks: number;
  readsPerMinute: number;
  /** To be called once the answer is on its way: starts the workflow best effort, so that 200 never waits for Temporal. */
  answered: () => void;
}

/** Accepts a task: when this resolves it is committed, and nothing that dies afterwards can lose it. */
export async function createTask(dependencies: Dependencies, input: CreateTaskInput): Promise<CreatedTask> {
  const { db, clock } = dependencies;
  const { caller, request } = input;
  // Looked at before an image is fetched, so that a caller over its limit costs nothing.
  await refuseOverLimit(db, caller, clock.now());
  const id = newId('task', clock.now());
  const image =
    request.imageUrl === null ? null : await takeImage(dependencies, id, request.imageUrl, request.imageFit);
  const resolved = resolve(input, image);
  try {
    return await acceptTask(dependencies, caller, id, resolved);
  } catch (error) {
    // Nobody will ever name the image of a task that was refused; the daily sweep takes what this misses.
    if (image && error instanceof AppError) await dependencies.storage.delete([image.objectKey]).catch(() => undefined);
    throw error;
  }
}

/** The accept transaction: limits, task row and admission together, then the failpoint between commit and answer. */
export async function acceptTask(
  { db, workflows, clock }: Pick<Dependencies, 'db' | 'workflows' | 'clock'>,
  caller: Pick<Caller, 'projectId' | 'livemode' | 'keyId'>,
  id: string,
  request: TaskRequest,
): Promise<CreatedTask> {
  const now = clock.now();
  const { starts, ...accepted } = await db.transaction(async (tables) => {
    const isWithinLimits = await tables.projectSlots.takeCreate(caller, now);
    if (!isWithinLimits) {
      await refuseOverLimit(tables, caller, now);
      throw new AppError('rate_limited', { retryAfterSeconds: 1 });
    }
    const { projectId, livemode, keyId } = caller;
    const task = await tables.tasks.insert({ ...request, id, projectId, livemode, keyId, createdAt: now });
    const admitted = await admitTasks(tables, caller, now);
    return { task, ...(await tables.projectSlots.activity(caller)), starts: admitted };
  });
  failpoint('after-accept-commit');
  return {
    ...accepted,
    answered: () => {
      failpoint('after-answer');
      workflows.startSoon(starts);
    },
  };
}

async function refuseOverLimit(
  tables: Pick<Database, 'projectSlots'>,
  project: { projectId: string; livemode: boolean },
  now: Date,
): Promise<void> {
  const standing = await tables.projectSlots.createStanding(project, now);
  if (!standing || standing.isSuspended) throw new AppError('project_suspended');
  if (!standing.hasWaitingRoom) throw new AppError('too_many_waiting_tasks', { retryAfterSeconds: 60 });
  if (standing.retryAfterSeconds > 0) {
    const retryAfterSeconds = Math.min(60, Math.ceil(standing.retryAfterSeconds));
    throw new AppError('rate_limited', {
      retryAfterSeconds,
      message: `Too many create requests. Try again in ${retryAfterSeconds} s.`,
    });
  }
}

function resolve({ type, request, warnings }: CreateTaskInput, image: TaskImage | null): TaskRequest {
  const model = findModel(request.model);
  if (!model) throw new AppError('unknown_model', { param: 'model' });
  return {
    type,
    model: model.id,
    pool: model.pool,
    prompt: request.prompt,
    negativePrompt: request.negativePrompt,
    resolution: request.resolution,
    aspectRatio: request.aspectRatio ?? (image ? nearestAspectRatio(image.width, image.height) : '16:9'),
    durationSeconds: request.durationSeconds,
    seed: request.seed ?? randomInt(0, 2 ** 32),
    image,
    warnings,
    metadata: request.metadata,
  };
}
