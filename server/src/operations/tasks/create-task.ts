import { randomInt } from 'node:crypto';
import type { Database } from '../../db/database.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Catalogue } from '../../domain/catalogue.ts';
import type { Clock } from '../../domain/clock.ts';
import {
  type GenerationRequest,
  type GenerationType,
  nearestAspectRatio,
  type Warning,
} from '../../domain/generation-request.ts';
import { newId } from '../../domain/id.ts';
import { servingModel } from '../../domain/model.ts';
import { priceOf } from '../../domain/price.ts';
import { createBurst } from '../../domain/rate-limit.ts';
import type { Task, TaskImage, TaskRequest } from '../../domain/task.ts';
import { AppError, rateUsedUp } from '../../errors.ts';
import type { Images } from '../../media/images.ts';
import type { GuardedFetcher } from '../../outbound/guarded-fetch.ts';
import type { Storage } from '../../storage/storage.ts';
import { failpoint } from '../../telemetry/failpoints.ts';
import type { ImageIntakes } from '../files/image-intakes.ts';
import { refuseFullStorage } from '../files/refuse-full-storage.ts';
import { storeInputImage } from '../files/store-input-image.ts';
import { admitInto } from '../queue/admit-tasks.ts';
import type { WaitingRoom } from '../queue/waiting-room.ts';
import type { WorkflowClient } from '../queue/workflow-client.ts';
import {
  findReplay,
  type HeldKey,
  type IdempotentRequest,
  KeyTaken,
  type Replay,
  replayOfTaken,
  takeKey,
  withReservation,
} from './idempotency.ts';
import { resolveModel } from './resolve-model.ts';

interface Dependencies {
  db: Database;
  catalogue: () => Catalogue;
  storage: Storage;
  images: Images;
  fetcher: GuardedFetcher;
  imageIntakes: ImageIntakes;
  workflows: WorkflowClient;
  clock: Clock;
  waitingRoom: WaitingRoom;
  /** Returns the response to the create, without signed URLs: it is stored for replays. */
  presentCreated: (accepted: Accepted) => string;
}

export interface CreateTaskInput {
  caller: Caller;
  type: GenerationType;
  request: GenerationRequest;
  warnings: readonly Warning[];
  /** The bytes of an image that came with the request. */
  upload?: Uint8Array | undefined;
  /** Null if the caller sent no Idempotency-Key. */
  idempotency: IdempotentRequest | null;
}

/** A task as it was accepted, and how busy its project was then. */
export interface Accepted {
  task: Task;
  activeTasks: number;
  readsPerMinute: number;
}

interface AcceptedTask extends Accepted {
  /** The project's creation limit after this create. */
  createAllowedAt: Date;
  onSent: () => void;
}

export interface CreatedTask {
  taskId: string;
  /** The response to the create, without signed URLs; byte for byte the same for a replay. */
  response: string;
  /** Whether an earlier request with the same Idempotency-Key created the task. */
  isReplayed: boolean;
  /** The project's creation limit after this create; null for a replay, which uses up no quota. */
  createAllowedAt: Date | null;
  /** To be called once the response is on its way: starts the workflow, so that 200 never waits for Temporal. */
  onSent: () => void;
}

/** Accepts a task. When this resolves, the task is committed, and no later crash can lose it. */
export async function createTask(dependencies: Dependencies, input: CreateTaskInput): Promise<CreatedTask> {
  const { idempotency, caller, request } = input;
  // A replay is returned before any limit of creates applies.
  const replay = idempotency && (await findReplay(dependencies, idempotency));
  if (replay) return replayed(replay);
  await dependencies.waitingRoom.refuseWhenFull();
  const create = async (): Promise<CreatedTask> => {
    if (idempotency === null) return storeImageAndAccept(dependencies, input, null);
    const created = await createUnderKey(dependencies, input, idempotency);
    return created ?? replayed(await replayOfTaken(dependencies, idempotency));
  };
  if (request.imageUrl === null) return create();
  dependencies.imageIntakes.countCreate(caller);
  return dependencies.imageIntakes.run(caller.projectId, create);
}

/**
 * Creates a task under an Idempotency-Key. Without an image, the accept transaction itself takes the key. Returns null
 * if another request has taken it.
 */
async function createUnderKey(
  dependencies: Dependencies,
  input: CreateTaskInput,
  idempotency: IdempotentRequest,
): Promise<CreatedTask | null> {
  if (input.request.imageUrl !== null)
    return withReservation(dependencies, idempotency, (key) => storeImageAndAccept(dependencies, input, key));
  try {
    return await storeImageAndAccept(dependencies, input, { ...idempotency, owner: null });
  } catch (error) {
    if (error instanceof KeyTaken) return null;
    throw error;
  }
}

/** Stores the image, if there is one, and accepts the task. */
async function storeImageAndAccept(
  dependencies: Dependencies,
  input: CreateTaskInput,
  key: HeldKey | null,
): Promise<CreatedTask> {
  const { db, clock, presentCreated } = dependencies;
  const { caller, request } = input;
  // The limits are checked before an image is fetched, so that a caller over its limit costs nothing.
  if (request.imageUrl !== null) await refuseOverLimit(db, caller);
  const id = newId('task', clock.now());
  const image = await storeInputImage(dependencies, id, input);
  const resolved = resolve(dependencies.catalogue(), input, image);
  try {
    const heldKey = key && { ...key, presentCreated };
    const { createAllowedAt, onSent, ...accepted } = await acceptTask(dependencies, caller, id, resolved, heldKey);
    return { taskId: id, response: presentCreated(accepted), isReplayed: false, createAllowedAt, onSent };
  } catch (error) {
    // No row will name the image of a task that was refused; the daily sweep deletes an image that this misses.
    if (image && error instanceof AppError) await dependencies.storage.delete([image.objectKey]).catch(() => undefined);
    throw error;
  }
}

function replayed({ taskId, response }: Replay): CreatedTask {
  // The request that created the task starts its workflow, or the relay does.
  return { taskId, response, isReplayed: true, createAllowedAt: null, onSent: () => undefined };
}

/** Runs the accept transaction (key, limits, task row and admission), then the failpoint before the response. */
export async function acceptTask(
  { db, workflows, clock }: Pick<Dependencies, 'db' | 'workflows' | 'clock'>,
  caller: Pick<Caller, 'projectId' | 'livemode' | 'keyId'>,
  id: string,
  request: TaskRequest,
  key: (HeldKey & Pick<Dependencies, 'presentCreated'>) | null = null,
): Promise<AcceptedTask> {
  const now = clock.now();
  const imageBytes = request.image?.sizeBytes ?? 0;
  const { starts, ...accepted } = await db.transaction(async (tables) => {
    if (key) await takeKey(tables, key, id, now);
    const taken = await tables.projectSlots.takeCreate(caller, request.pool, imageBytes);
    if (taken === null) {
      await refuseOverLimit(tables, caller, imageBytes);
      // Since the refusal, enough time has passed for one more create.
      const message = 'The limit of creates was used up a moment ago. Try again in 1 s.';
      throw new AppError('rate_limited', { retryAfterSeconds: 1, message });
    }
    const { projectId, livemode, keyId } = caller;
    const task = await tables.tasks.insert({ ...request, id, projectId, livemode, keyId, createdAt: now });
    const starts = await admitInto(taken.room, tables, caller, now);
    const { activeTasks, readsPerMinute, createAllowedAt } = taken;
    const response = { task, activeTasks, readsPerMinute };
    if (key) await tables.idempotencyKeys.storeResponse(key.scope, key.presentCreated(response));
    return { ...response, createAllowedAt, starts };
  });
  failpoint('after-accept-commit');
  return {
    ...accepted,
    onSent: () => {
      failpoint('after-answer');
      workflows.startSoon(starts);
    },
  };
}

async function refuseOverLimit(
  tables: Pick<Database, 'projectSlots'>,
  project: { projectId: string; livemode: boolean },
  imageBytes = 0,
): Promise<void> {
  const quota = await tables.projectSlots.createQuotaState(project);
  if (!quota || quota.isSuspended) throw new AppError('project_suspended');
  refuseFullStorage(quota.storage, imageBytes);
  if (quota.waiting >= quota.waitingLimit) {
    throw new AppError('too_many_waiting_tasks', {
      retryAfterSeconds: 60,
      message: `The limit of ${quota.waitingLimit} waiting tasks is reached. Wait until some have started.`,
    });
  }
  if (quota.retryAfterSeconds > 0) {
    const { createsPerMinute: perMinute, retryAfterSeconds } = quota;
    throw rateUsedUp({
      what: 'creates',
      burst: createBurst,
      perMinute,
      waitMilliseconds: retryAfterSeconds * 1000,
    });
  }
}

function resolve(
  catalogue: Catalogue,
  { caller, type, request, warnings }: CreateTaskInput,
  image: TaskImage | null,
): TaskRequest {
  const { resolution, durationSeconds } = request;
  const aspectRatio = request.aspectRatio ?? (image ? nearestAspectRatio(image.width, image.height) : '16:9');
  const model = resolveModel(catalogue, request.model, { type, resolution, aspectRatio, durationSeconds });
  return {
    type,
    model: model.id,
    pool: servingModel({ livemode: caller.livemode, model }).pool,
    prompt: request.prompt,
    negativePrompt: request.negativePrompt,
    resolution,
    aspectRatio,
    durationSeconds,
    seed: request.seed ?? randomInt(0, 2 ** 32),
    image,
    warnings,
    metadata: request.metadata,
    callbackUrl: request.callbackUrl,
    callbackEvents: request.callbackEvents,
    price: caller.livemode ? priceOf(model, resolution, durationSeconds) : null,
  };
}
