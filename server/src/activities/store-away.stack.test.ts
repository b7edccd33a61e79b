import { randomBytes } from 'node:crypto';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRegistry } from '../engines/registry.ts';
import { createLive } from '../live/live.ts';
import type { Images } from '../media/images.ts';
import { createWorld, newPlace, type World } from '../operations/operations.fixture.ts';
import { connectTemporal, type TestTemporal } from '../operations/queue/temporal.fixture.ts';
import { createTestStorage, type TestStorage } from '../storage/storage.fixture.ts';
import { bundleWorkflows, installQuietRuntime } from '../workflows/workflow-runtime.fixture.ts';
import { createEngineUses } from './engine-uses.ts';
import { generateActivities } from './render-task.ts';
import { createScriptedEngine } from './scripted-engine.fixture.ts';
import { slotTuner } from './serve-queues.ts';
import { SlotBoard } from './slot-board.ts';
import { createTaskWatch } from './task-watch.ts';

let world: World;
let store: TestStorage;
let temporal: TestTemporal;
let connection: NativeConnection;
beforeAll(async () => {
  installQuietRuntime();
  [world, store, temporal] = await Promise.all([
    createWorld(),
    createTestStorage(),
    connectTemporal({ hasWorkers: true }),
  ]);
  connection = await NativeConnection.connect({ address: temporal.address });
});
afterAll(async () => {
  await connection?.close();
  await Promise.all([world?.close(), store?.drop(), temporal?.close()]);
});

describe('tasks with images while the store is unreachable', () => {
  it('a worker is given no more of them than it has slots, and one begins once the store is back', async () => {
    const pool = `test-${randomBytes(4).toString('hex')}`;
    const { endpointId } = newPlace();
    const engine = createScriptedEngine();
    const board = new SlotBoard();
    const reads: string[] = [];
    let isStoreAway = true;
    const watch = createTaskWatch(world);
    const live = createLive(world);
    const activities = generateActivities({
      finishHere: null,
      ...world,
      storage: {
        ...store.storage,
        read: (key) => {
          reads.push(key);
          return isStoreAway ? Promise.reject(new Error('unreachable')) : store.storage.read(key);
        },
      },
      images: { ...({} as Images), fit: async (_, bytes) => bytes }, // generate uses nothing else
      registry: createRegistry([{ id: endpointId, engine, pool }]),
      board,
      maintainEndpoint: () => undefined,
      watch,
      live,
      engineUses: createEngineUses(),
      speeds: { find: () => null },
      attemptLimitSeconds: 600,
      stallSeconds: 60,
    });
    await world.db.leases.ensureSlots(endpointId, 1);
    board.refresh(endpointId, true, [0]);

    const tasks = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        const image = {
          objectKey: `inputs/${pool}-${name}`,
          sha256: name,
          width: 64,
          height: 64,
          fit: 'crop',
        } as const;
        await store.storage.put(image.objectKey, Buffer.from(name), 'image/png');
        return world.accept(await world.newProject(), { request: { image, pool } });
      }),
    );
    for (const { id } of tasks)
      await temporal.client.workflow.start('generateVideo', {
        workflowId: id,
        taskQueue: 'workflows',
        args: [{ taskId: id, pool }],
      });
    const options = { connection, namespace: temporal.namespace };
    const workers = await Promise.all([
      Worker.create({ ...options, taskQueue: 'workflows', workflowBundle: await bundleWorkflows() }),
      Worker.create({ ...options, taskQueue: `render-${pool}`, activities, tuner: slotTuner(board) }),
    ]);
    const running = workers.map((worker) => worker.run());

    const [first] = await expect
      .poll(() => reads)
      .toHaveLength(3)
      .then(() => reads);
    expect(reads).toEqual([first, first, first]);
    // After 10 s the slot is for another task.
    await expect.poll(() => new Set(reads).size).toBeGreaterThan(1);
    isStoreAway = false;
    await expect.poll(() => engine.submitted.length).toBe(1);

    for (const worker of workers) worker.shutdown();
    await Promise.all(running);
    watch.close();
    await live.close();
  });
});
