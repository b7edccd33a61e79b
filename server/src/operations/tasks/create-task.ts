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
import type { Task } from '../../domain/task.ts';
import { AppError } from '../../errors.ts';
import type { Images } from '../../media/images.ts';
import type { GuardedFetcher } from '../../outbound/guarded-fetch.ts';
import type { Storage } from '../../storage/storage.ts';
import type { CountImageCreate } from '../files/count-image-creates.ts';
import { storeInputImage } from '../files/store-input-image.ts';
import type { ProjectLimit } from '../queue/project-limit.ts';
import type { WaitingLimit } from '../queue/waiting-limit.ts';
import type { WorkflowClient } from '../queue/workflow-client.ts';
import { acceptTask } from './accept-task.ts';
import {
  findReplay,
  type HeldKey,
  type IdempotentRequest,
  KeyTaken,
  type Replay,
  replayOfTaken,
  withReservation,
} from './idempotency.ts';
import { refuseOverLimit } from './refuse-over-limit.ts';
import { resolveRequest } from './resolve-request.ts';

export interface CreateDependencies {
  db: Database;
  catalogue: () => Catalogue;
  storage: Storage;
  images: Images;
  fetcher: GuardedFetcher;
  countImageCreate: CountImageCreate;
  imageLimit: ProjectLimit;
  workflows: WorkflowClient;
  clock: Clock;
  waitingLimit: WaitingLimit;
  /** Returns the response to a create, without signed URLs: it is stored for replays. */
  presentCreated: (created: { task: Task; activeTasks: number; readsPerMinute: number }) => string;
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
export async function createTask(dependencies: CreateDependencies, input: CreateTaskInput): Promise<CreatedTask> {
  return input.request.imageUrl === null ? createFromText(dependencies, input) : createFromImage(dependencies, input);
}

/**
 * Creates a task whose accept transaction takes the Idempotency-Key. Nearly every key is new, so an earlier request is
 * looked for only if the key is taken or the create is refused: a replay comes before any limit.
 */
async function createFromText(dependencies: CreateDependencies, input: CreateTaskInput): Promise<CreatedTask> {
  const { idempotency } = input;
  try {
    await dependencies.waitingLimit.refuseBeyond();
    return await accept(dependencies, input, idempotency && { ...idempotency, owner: null });
  } catch (error) {
    if (idempotency && error instanceof KeyTaken) return replayed(await replayOfTaken(dependencies, idempotency));
    const replay = idempotency && error instanceof AppError && (await findReplay(dependencies, idempotency));
    if (replay) return replayed(replay);
    throw error;
  }
}

/** Creates a task with an image. A replay is returned before any limit applies, and before an image costs anything. */
async function createFromImage(dependencies: CreateDependencies, input: CreateTaskInput): Promise<CreatedTask> {
  const { db, catalogue, waitingLimit, countImageCreate, imageLimit } = dependencies;
  const { idempotency, caller, request } = input;
  const replay = idempotency && (await findReplay(dependencies, idempotency));
  if (replay) return replayed(replay);
  await waitingLimit.refuseBeyond();
  countImageCreate(caller);
  return imageLimit.run(caller, async () => {
    const create = async (key: HeldKey | null): Promise<CreatedTask> => {
      // The limits are checked before an image is fetched, so that a caller over its limit costs nothing.
      await refuseOverLimit(db, caller, resolveRequest(catalogue(), input, null, request.aspectRatio).pool);
      return accept(dependencies, input, key);
    };
    if (idempotency === null) return create(null);
    const created = await withReservation(dependencies, idempotency, create);
    return created ?? replayed(await replayOfTaken(dependencies, idempotency));
  });
}

/** Stores the image, if there is one, resolves the request, and accepts the task. */
async function accept(
  dependencies: CreateDependencies,
  input: CreateTaskInput,
  key: HeldKey | null,
): Promise<CreatedTask> {
  const { clock, catalogue, storage, presentCreated } = dependencies;
  const { caller, request } = input;
  const id = newId('task', clock.now(), input.caller.projectId);
  const image = await storeInputImage(dependencies, id, input);
  const aspectRatio = request.aspectRatio ?? (image ? nearestAspectRatio(image.width, image.height) : '16:9');
  const resolved = { ...resolveRequest(catalogue(), input, image, aspectRatio), aspectRatio };
  const { running, waiting, readsPerMinute } = caller.limits;
  // As busy as the project was when its key was read: the number only sets how often to poll.
  const activeTasks = running + waiting + 1;
  let response: string | null = null;
  const respond = (task: Task): string => (response ??= presentCreated({ task, activeTasks, readsPerMinute }));
  try {
    const { task, createAllowedAt, onSent } = await acceptTask(
      dependencies,
      caller,
      id,
      resolved,
      key && { ...key, respond },
    );
    return { taskId: id, response: respond(task), isReplayed: false, createAllowedAt, onSent };
  } catch (error) {
    // No row will name the image of a task that was refused; the daily sweep deletes an image that this misses.
    if (image && error instanceof AppError) await storage.delete([image.objectKey]).catch(() => undefined);
    throw error;
  }
}

function replayed({ taskId, response }: Replay): CreatedTask {
  // The request that created the task starts its workflow, or the relay does.
  return { taskId, response, isReplayed: true, createAllowedAt: null, onSent: () => undefined };
}
