import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createRegistry } from '../engines/registry.ts';
import type { Images } from '../media/images.ts';
import { newPlace, useWorld } from '../operations/operations.fixture.ts';
import { useTestStorage } from '../storage/storage.fixture.ts';
import { openWorkflowBundle } from '../wiring/workflow-bundle.ts';
import { useTemporalWorkers } from '../workflows/temporal-workers.fixture.ts';
import { renderParts } from './render-parts.fixture.ts';
import { generateActivities } from './render-task.ts';
import { createScriptedEngine } from './scripted-engine.fixture.ts';
import { slotTuner } from './serve-queues.ts';
import { SlotBoard } from './slot-board.ts';

const world = useWorld();
const store = useTestStorage();
const temporal = useTemporalWorkers();

describe('tasks with images while the store is unreachable', () => {
  it('a worker is given no more of them than it has slots, and one begins once the store is back', async () => {
    const pool = `test-${randomBytes(4).toString('hex')}`;
    const { endpointId } = newPlace();
    const engine = createScriptedEngine();
    const board = new SlotBoard();
    const reads: string[] = [];
    let isStoreAway = true;
    const parts = renderParts(world, store);
    const activities = generateActivities({
      ...parts,
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
    for (const { id } of tasks) await temporal.startTask({ taskId: id, pool });
    const stopWorkers = await temporal.runWorkers(
      { taskQueue: 'workflows', workflowBundle: await openWorkflowBundle() },
      { taskQueue: `render-${pool}`, activities, tuner: slotTuner(board) },
    );

    const [first] = await expect
      .poll(() => reads)
      .toHaveLength(3)
      .then(() => reads);
    expect(reads).toEqual([first, first, first]);
    // After 10 s the slot is for another task.
    await expect.poll(() => new Set(reads).size).toBeGreaterThan(1);
    isStoreAway = false;
    await expect.poll(() => engine.submitted.length).toBe(1);

    await stopWorkers();
    await parts.stopParts();
  });
});
