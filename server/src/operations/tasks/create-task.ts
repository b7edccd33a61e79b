import type { Database, Tables } from '../../db/database.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Catalogue } from '../../domain/catalogue.ts';
import type { Clock } from '../../domain/clock.ts';
import {
  type AspectRatio,
  type GenerationRequest,
  type GenerationType,
  nearestAspectRatio,
  type Warning,
} from '../../domain/generation-request.ts';
import { newId } from '../../domain/id.ts';
import { servingModel } from '../../domain/model.ts';
import { priceOf } from '../../domain/price.ts';
import { random } from '../../domain/random.ts';
import { createBurst } from '../../domain/rate-limit.ts';
import type { Task, TaskImage, TaskRequest } from '../../domain/task.ts';
import { AppError, rateUsedUp, WaitingLimitReached } from '../../errors.ts';
import type { Images } from '../../media/images.ts';
import type { GuardedFetcher } from '../../outbound/guarded-fetch.ts';
import type { Storage } from '../../storage/storage.ts';
import { failpoint } from '../../telemetry/failpoints.ts';
import type { ImageIntakes } from '../files/image-intakes.ts';
import { refuseFullStorage } from '../files/refuse-full-storage.ts';
import { storeInputImage } from '../files/store-input-image.ts';
import { admitTasks } from '../queue/admit-tasks.ts';
import type { WaitingRoom } from '../queue/waiting-room.ts';
import { relayDelayMilliseconds, type WorkflowClient } from '../queue/workflow-client.ts';
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

interface AcceptedTask {
  task: Task;
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
  const { waitingRoom, imageIntakes } = dependencies;
  const { idempotency, caller, request } = input;
  if (request.imageUrl === null) return createWithoutImage(dependencies, input);
  // A replay is returned before any limit of creates applies, and before an image costs anything.
  const replay = idempotency && (await findReplay(dependencies, idempotency));
  if (replay) return replayed(replay);
  await waitingRoom.refuseWhenFull();
  imageIntakes.countCreate(caller);
  return imageIntakes.run(caller.projectId, async () => {
    const create = (key: HeldKey | null) => storeImageAndAccept(dependencies, input, key);
    if (idempotency === null) return create(null);
    const created = await withReservation(dependencies, idempotency, create);
    return created ?? replayed(await replayOfTaken(dependencies, idempotency));
  });
}

/**
 * Creates a task whose accept transaction itself takes the Idempotency-Key, if there is one. Nearly every key is new, so
 * an earlier request is looked for only if the key is taken or the create is refused: a replay is returned before any
 * limit of creates applies.
 */
async function createWithoutImage(dependencies: Dependencies, input: CreateTaskInput): Promise<CreatedTask> {
  const { idempotency } = input;
  try {
    await dependencies.waitingRoom.refuseWhenFull();
    return await storeImageAndAccept(dependencies, input, idempotency && { ...idempotency, owner: null });
  } catch (error) {
    if (idempotency && error instanceof KeyTaken) return replayed(await replayOfTaken(dependencies, idempotency));
    const replay = idempotency && error instanceof AppError && (await findReplay(dependencies, idempotency));
    if (replay) return replayed(replay);
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
  if (request.imageUrl !== null)
    await refuseOverLimit(db, caller, resolve(dependencies.catalogue(), input, null, request.aspectRatio).pool);
  const id = newId('task', clock.now());
  const image = await storeInputImage(dependencies, id, input);
  const aspectRatio = request.aspectRatio ?? (image ? nearestAspectRatio(image.width, image.height) : '16:9');
  const resolved = { ...resolve(dependencies.catalogue(), input, image, aspectRatio), aspectRatio };
  try {
    const { limits } = caller;
    // As busy as the project was when its key was read: the number only sets how often to poll.
    const activeTasks = limits.running + limits.waiting + 1;
    let response: string | null = null;
    const respond = (task: Task): string => {
      response ??= presentCreated({ task, activeTasks, readsPerMinute: limits.readsPerMinute });
      return response;
    };
    const accepted = await acceptTask(dependencies, caller, id, resolved, key && { ...key, respond });
    const { task, createAllowedAt, onSent } = accepted;
    return { taskId: id, response: respond(task), isReplayed: false, createAllowedAt, onSent };
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

/**
 * Counts, stores and admits a task, then runs the failpoint before the response. One statement does it, so only a create
 * with a key needs a transaction.
 */
export async function acceptTask(
  { db, workflows, clock }: Pick<Dependencies, 'db' | 'workflows' | 'clock'>,
  caller: Pick<Caller, 'projectId' | 'livemode' | 'keyId'>,
  id: string,
  request: TaskRequest,
  key: (HeldKey & { respond: (task: Task) => string }) | null = null,
): Promise<AcceptedTask> {
  const now = clock.now();
  const task = queuedTask(caller, id, request, now);
  const accept = async (tables: Pick<Tables, 'acceptances' | 'projectSlots'>) => {
    const acceptance = await tables.acceptances.accept(task, relayDelayMilliseconds).catch((error: unknown) => {
      throw error instanceof WaitingLimitReached ? tooManyWaiting() : error;
    });
    if (acceptance) return acceptance;
    await refuseOverLimit(tables, caller, request.pool, request.image?.sizeBytes ?? 0);
    // Since the refusal, enough time has passed for one more create.
    const message = 'The limit of creates was used up a moment ago. Try again in 1 s.';
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

async function refuseOverLimit(
  tables: Pick<Database, 'projectSlots'>,
  project: { projectId: string; livemode: boolean },
  pool: string,
  imageBytes = 0,
): Promise<void> {
  const quota = await tables.projectSlots.createQuotaState(project, pool);
  if (!quota || quota.isSuspended) throw new AppError('project_suspended');
  refuseFullStorage(quota.storage, imageBytes);
  if (quota.waiting >= quota.waitingLimit) throw tooManyWaiting(quota.waitingLimit);
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

function tooManyWaiting(limit?: number): AppError {
  const limited = limit === undefined ? 'The limit of waiting tasks' : `The limit of ${limit} waiting tasks`;
  return new AppError('too_many_waiting_tasks', {
    retryAfterSeconds: 60,
    message: `${limited} for this model is reached. Wait until some have started.`,
  });
}

/** Returns the request with its defaults. The aspect ratio is null while it is not known. */
function resolve(
  catalogue: Catalogue,
  { caller, type, request, warnings }: CreateTaskInput,
  image: TaskImage | null,
  aspectRatio: AspectRatio | null,
): Omit<TaskRequest, 'aspectRatio'> {
  const { resolution, durationSeconds } = request;
  const model = resolveModel(catalogue, request.model, { type, resolution, aspectRatio, durationSeconds });
  return {
    type,
    model: model.id,
    pool: servingModel({ livemode: caller.livemode, model }).pool,
    prompt: request.prompt,
    negativePrompt: request.negativePrompt,
    resolution,
    durationSeconds,
    seed: request.seed ?? random.below(2 ** 32),
    image,
    warnings,
    metadata: request.metadata,
    callbackUrl: request.callbackUrl,
    callbackEvents: request.callbackEvents,
    price: caller.livemode ? priceOf(model, resolution, durationSeconds) : null,
  };
}
