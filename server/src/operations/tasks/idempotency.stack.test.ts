import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Project } from '../../db/access/project-table.ts';
import { unusedLimits } from '../../domain/caller.fixture.ts';
import type { Caller } from '../../domain/caller.ts';
import { plainGeneration } from '../../domain/generation-request.fixture.ts';
import type { GenerationRequest } from '../../domain/generation-request.ts';
import { strayId } from '../../domain/id.fixture.ts';
import { AppError } from '../../errors.ts';
import { useWorld } from '../operations.fixture.ts';
import { createWaitingLimit } from '../queue/waiting-limit.ts';
import { type CreatedTask, createTask } from './create-task.ts';
import type { IdempotentRequest } from './idempotency.ts';

const world = useWorld(50);

const withImage: GenerationRequest = { ...plainGeneration, imageUrl: 'data:image/png;base64,AAAA' };

const newHashes = () => ({ requestSha256: randomBytes(32), imageSha256: null });
const hashes = newHashes();

/** Returns a request with a key that is not in use. */
function newKey(project: Project, key = randomUUID()): IdempotentRequest {
  const scope = { projectId: project.id, livemode: true, route: 'POST /v1/videos/text-to-video', key };
  return { scope, hashes, fileId: null };
}

function callerOf(project: Project): Caller {
  return {
    projectId: project.id,
    livemode: true,
    keyId: strayId('key', new Date()),
    scopes: ['videos:write'],
    expiresAt: null,
    isSuspended: false,
    limits: unusedLimits,
  };
}

interface Options {
  generation?: GenerationRequest;
  /** Runs while the image is fetched. */
  whileFetching?: () => Promise<void>;
  waitingLimit?: number;
}

/** Creates a task under a key. The store and the decoder are stand-ins: only what happens around them matters. */
function create(project: Project, idempotency: IdempotentRequest | null, options: Options = {}): Promise<CreatedTask> {
  const { generation = plainGeneration, whileFetching, waitingLimit = 1_000_000 } = options;
  const image = {
    bytes: Buffer.from('png'),
    sha256: 'ab'.repeat(32),
    width: 400,
    height: 400,
    contentType: 'image/png',
  };
  const parts = {
    images: {
      normalise: async () => {
        await whileFetching?.();
        return image;
      },
    },
    storage: {
      put: async () => undefined,
      putStream: async () => undefined,
      read: async () => Readable.from([]),
      delete: async () => undefined,
    },
    fetcher: {},
  };
  return createTask(
    {
      // Only what storing an image uses.
      ...(parts as unknown as Pick<Parameters<typeof createTask>[0], 'images' | 'storage' | 'fetcher'>),
      ...world,
      waitingLimit: createWaitingLimit({ ...world, limit: waitingLimit }),
      presentCreated: ({ task }) => JSON.stringify({ task_id: task.id, prompt: task.prompt, seed: task.seed }),
    },
    {
      caller: callerOf(project),
      type: generation.imageUrl === null ? 'text_to_video' : 'image_to_video',
      request: generation,
      warnings: [],
      idempotency,
    },
  );
}

const codeOf = (error: unknown): string => {
  if (error instanceof AppError) return error.code;
  throw error;
};

const tasksOf = (project: Project): Promise<string[]> => world.db.openTasks.activeOf(project.id, 1000);

async function rowOf({ scope }: IdempotentRequest) {
  return world.db.kysely.selectFrom('idempotency_keys').selectAll().where('key', '=', scope.key).executeTakeFirst();
}

describe('a create with an Idempotency-Key, without an image', () => {
  it('40 creates at once make one task, and all but the first replay its response, byte for byte', async () => {
    const project = await world.newProject();
    const key = newKey(project);
    const created = await Promise.all(Array.from({ length: 40 }, () => create(project, key)));
    expect(new Set(created.map(({ response }) => response)).size).toBe(1);
    expect(created.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    expect(await tasksOf(project)).toEqual([created[0]?.taskId]);
    expect(await world.slotsOf(project)).toMatchObject({ running: 1, waiting: 0 });
  });

  it('another request with the same key is refused', async () => {
    const project = await world.newProject();
    const key = newKey(project);
    await create(project, key);
    const other = create(project, { ...key, hashes: newHashes() });
    await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused', status: 422 });
    expect(await tasksOf(project)).toHaveLength(1);
  });

  it('a key is unknown to another project, mode or route', async () => {
    const [project, other] = [await world.newProject(), await world.newProject()];
    const key = newKey(project);
    await create(project, key);
    const scopes = [
      { ...key.scope, projectId: other.id },
      { ...key.scope, livemode: false },
      { ...key.scope, route: 'POST /v1/videos' },
    ];
    for (const scope of scopes) expect((await create(project, { ...key, scope })).isReplayed).toBe(false);
  });

  it('a create is replayed even if every limit would refuse it', async () => {
    const project = await world.newProject({ createsPerMinute: 60, waitingLimit: 0, runningLimit: 1 });
    await world.db.projects.set(project.id, { waitingLimit: 1 }, new Date());
    const key = newKey(project);
    const { response } = await create(project, key);
    await world.db.projects.set(project.id, { waitingLimit: 0 }, new Date());
    expect(await create(project, newKey(project)).catch(codeOf)).toBe('too_many_waiting_tasks');
    expect(await create(project, key, { waitingLimit: 0 })).toMatchObject({ response, isReplayed: true });
  });

  it('a refused create does not use up its key', async () => {
    const project = await world.newProject({ waitingLimit: 0 });
    const key = newKey(project);
    expect(await create(project, key).catch(codeOf)).toBe('too_many_waiting_tasks');
    expect(await rowOf(key)).toBeUndefined();
    await world.db.projects.set(project.id, { waitingLimit: 10 }, new Date());
    expect((await create(project, { ...key, hashes: newHashes() })).isReplayed).toBe(false);
  });

  it('a key is remembered for seven days and no longer', async () => {
    const project = await world.newProject();
    const key = newKey(project);
    const first = await create(project, key);
    await world.moveClock(7 * 86_400 - 1);
    expect(await create(project, key)).toMatchObject({ taskId: first.taskId, isReplayed: true });
    await world.moveClock(1);
    const second = await create(project, { ...key, hashes: newHashes() });
    expect(second).toMatchObject({ isReplayed: false });
    expect(second.taskId).not.toBe(first.taskId);
  });

  it('a replay throws task_deleted if its task was deleted, and still works if the row of its task was dropped', async () => {
    const project = await world.newProject();
    const [deleted, dropped] = [newKey(project), newKey(project)];
    const { taskId } = await create(project, deleted);
    const { taskId: droppedId, response } = await create(project, dropped);
    await world.db.idempotencyKeys.eraseResponse(taskId);
    expect(await create(project, deleted).catch(codeOf)).toBe('task_deleted');
    await world.db.kysely.deleteFrom('tasks').where('prompt', '=', plainGeneration.prompt).execute();
    expect(await create(project, dropped)).toMatchObject({ taskId: droppedId, response, isReplayed: true });
  });
});

describe('a create with an Idempotency-Key, with an image', () => {
  const generation = withImage;

  it('a create holds its key while it fetches: the same request gets idempotency_in_progress, another one is refused', async () => {
    const project = await world.newProject();
    const key = newKey(project);
    const created = await create(project, key, {
      generation,
      whileFetching: async () => {
        const second = await create(project, key, { generation }).catch((error: unknown) => error);
        expect(second).toMatchObject({
          code: 'idempotency_in_progress',
          param: 'Idempotency-Key',
          retryAfterSeconds: 1,
        });
        const other = { ...key, hashes: newHashes() };
        expect(await create(project, other, { generation }).catch(codeOf)).toBe('idempotency_key_reused');
      },
    });
    expect(created.isReplayed).toBe(false);
    expect(await create(project, key, { generation })).toMatchObject({ response: created.response, isReplayed: true });
    expect(await tasksOf(project)).toEqual([created.taskId]);
  });

  it('a create that is refused for its image releases its key', async () => {
    const project = await world.newProject();
    const key = newKey(project);
    const whileFetching = () => Promise.reject(new AppError('image_undecodable'));
    expect(await create(project, key, { generation, whileFetching }).catch(codeOf)).toBe('image_undecodable');
    expect(await rowOf(key)).toBeUndefined();
    expect((await create(project, key, { generation })).isReplayed).toBe(false);
  });

  it('a create that is refused by a limit releases its key before the image is fetched', async () => {
    const project = await world.newProject({ waitingLimit: 0 });
    const key = newKey(project);
    const whileFetching = () => Promise.reject(new Error('the image was fetched'));
    expect(await create(project, key, { generation, whileFetching }).catch(codeOf)).toBe('too_many_waiting_tasks');
    expect(await rowOf(key)).toBeUndefined();
  });

  it('a key is taken over 60 s after its owner died, and not a moment earlier', async () => {
    const project = await world.newProject();
    const key = newKey(project);
    // A process that is killed while it fetches leaves this reservation.
    const now = world.clock.now();
    const reservation = { owner: randomUUID(), until: new Date(now.getTime() + 60_000) };
    await world.db.idempotencyKeys.reserve(key.scope, key.hashes, reservation, now);
    await world.moveClock(59.999);
    expect(await create(project, key, { generation }).catch(codeOf)).toBe('idempotency_in_progress');
    await world.moveClock(0.001);
    expect((await create(project, key, { generation })).isReplayed).toBe(false);
    expect(await tasksOf(project)).toHaveLength(1);
  });

  it('a create that lost its reservation to a faster one rolls back and gets idempotency_in_progress', async () => {
    const project = await world.newProject();
    const key = newKey(project);
    let faster: CreatedTask | undefined;
    const slow = create(project, key, {
      generation,
      whileFetching: async () => {
        await world.moveClock(61);
        faster = await create(project, key, { generation });
      },
    });
    expect(await slow.catch(codeOf)).toBe('idempotency_in_progress');
    expect(await tasksOf(project)).toEqual([faster?.taskId]);
    expect(await create(project, key, { generation })).toMatchObject({ taskId: faster?.taskId, isReplayed: true });
    expect(await world.slotsOf(project)).toMatchObject({ running: 1, waiting: 0 });
  });

  it('a create whose reservation has lapsed is accepted if no other create took the key', async () => {
    const project = await world.newProject();
    const key = newKey(project);
    const created = await create(project, key, { generation, whileFetching: () => world.moveClock(61) });
    expect(await create(project, key, { generation })).toMatchObject({ response: created.response, isReplayed: true });
  });
});

describe('a create with an Idempotency-Key, with an uploaded file', () => {
  /** Stores a file with this content and returns a create that names it; its image hash is made from the file id. */
  async function uploaded(project: Project, key: IdempotentRequest, content: string) {
    const id = strayId('file', world.clock.now());
    const { keyId, ...owner } = callerOf(project);
    const createdAt = world.clock.now();
    const expiresAt = new Date(createdAt.getTime() + 1000);
    const facts = { name: null, contentType: 'image/png', sizeBytes: 3, sha256: content, width: 400, height: 400 };
    await world.db.files.insert({ id, ...owner, keyId, objectKey: `uploads/${id}`, ...facts, createdAt, expiresAt });
    const named = { ...key, hashes: { ...hashes, imageSha256: Buffer.from(id) }, fileId: id };
    const generation = { ...plainGeneration, imageUrl: id };
    return () => create(project, named, { generation });
  }

  it('a create with a second upload of the same image is the same request, and one with another image is not', async () => {
    const project = await world.newProject();
    const key = newKey(project);
    const [first, repeated, other] = [
      await uploaded(project, key, 'one'),
      await uploaded(project, key, 'one'),
      await uploaded(project, key, 'two'),
    ];
    const { taskId, response } = await first();
    expect(await repeated()).toMatchObject({ response, isReplayed: true });
    expect(await other().catch(codeOf)).toBe('idempotency_key_reused');
    await world.moveClock(2);
    expect(await first()).toMatchObject({ response, isReplayed: true }); // its file has expired, but its id is enough
    expect(await repeated().catch(codeOf)).toBe('idempotency_key_reused');
    expect(await tasksOf(project)).toEqual([taskId]);
  });

  it('a create gets idempotency_in_progress while another holds the key, and task_deleted once the task was deleted', async () => {
    const project = await world.newProject();
    const key = newKey(project);
    const now = world.clock.now();
    const owner = randomUUID();
    const taskId = strayId('task', now);
    await world.db.idempotencyKeys.reserve(key.scope, hashes, { owner, until: new Date(now.getTime() + 1000) }, now);
    const repeated = await uploaded(project, key, 'one');
    expect(await repeated().catch(codeOf)).toBe('idempotency_in_progress');
    await world.db.idempotencyKeys.redeem(key.scope, owner, { taskId, response: 'a response' });
    await world.db.idempotencyKeys.eraseResponse(taskId);
    expect(await repeated().catch(codeOf)).toBe('task_deleted');
  });
});

describe('the table of keys', () => {
  it('old keys are deleted in batches of a limited size', async () => {
    const project = await world.newProject();
    const keys = [newKey(project), newKey(project), newKey(project)];
    const long = new Date(world.clock.now().getTime() - 400 * 86_400_000);
    for (const { scope } of keys) {
      const created = { taskId: strayId('task', long), response: 'a response' };
      await world.db.idempotencyKeys.claim(scope, hashes, created, long);
    }
    const before = new Date(long.getTime() + 1000);
    expect(await world.db.idempotencyKeys.deleteOlderThan(before, 2)).toBe(2);
    expect(await world.db.idempotencyKeys.deleteOlderThan(before, 2)).toBe(1);
    expect(await world.db.idempotencyKeys.deleteOlderThan(before, 2)).toBe(0);
  });
});

describe("the installation's waiting limit", () => {
  it('a reached waiting limit refuses creates, and recounts after a few seconds', async () => {
    const project = await world.newProject({ runningLimit: 0 });
    const waiting = await world.db.projectSlots.countWaiting();
    const room = createWaitingLimit({ ...world, limit: waiting + 1 });
    await expect(room.refuseBeyond()).resolves.toBeUndefined();
    await world.accept(project);
    expect(await world.db.projectSlots.countWaiting()).toBe(waiting + 1);
    await world.moveClock(2.9);
    await expect(room.refuseBeyond()).resolves.toBeUndefined();
    await world.moveClock(0.1);
    await expect(room.refuseBeyond()).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 30 });
  });
});
