import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openLockSession } from '../db/connection/lock-session.ts';
import { clockAt } from '../domain/clock.fixture.ts';
import { systemClock } from '../domain/clock.ts';
import type { Step } from '../domain/step.ts';
import { createRegistry } from '../engines/registry.ts';
import { newPlace, useWorld } from '../operations/operations.fixture.ts';
import { useTestStorage } from '../storage/storage.fixture.ts';
import { openWorkflowBundle } from '../wiring/workflow-bundle.ts';
import { useTemporalWorkers } from '../workflows/temporal-workers.fixture.ts';
import { gatherRows, ownEndpoint } from './endpoint-owner.ts';
import { renderParts } from './render-parts.fixture.ts';
import { generateActivities } from './render-task.ts';
import { createScriptedEngine } from './scripted-engine.fixture.ts';
import { slotTuner } from './serve-queues.ts';
import { SlotBoard } from './slot-board.ts';

const world = useWorld();
const store = useTestStorage();
const temporal = useTemporalWorkers();

/** Starts a worker with an endpoint of one slot, and a task for it. */
async function startPool() {
  const pool = `test-${randomBytes(4).toString('hex')}`;
  const { endpointId } = newPlace();
  const engine = createScriptedEngine();
  let movedMilliseconds = 0;
  const clock = clockAt(() => new Date(Date.now() + movedMilliseconds));
  const board = new SlotBoard();
  const locks = openLockSession({ clock: systemClock, databaseUrl: world.url, group: pool });
  const endpoint = { id: endpointId, pool, engine };
  const owner = ownEndpoint(
    { ...world, rows: gatherRows({ ...world, clock }), clock, board, holdLock: (...lock) => locks.hold(...lock) },
    endpoint,
  );
  const parts = renderParts(world, store, clock);
  const activities = generateActivities({
    ...parts,
    registry: createRegistry([endpoint]),
    board,
    maintainEndpoint: () => owner.maintainSoon(),
  });
  const finish = async (): Promise<Step> => 'ended';
  const stopWorkers = await temporal.runWorkers(
    { taskQueue: 'workflows', workflowBundle: await openWorkflowBundle() },
    { taskQueue: 'media', activities: { finish } },
    { taskQueue: `render-${pool}`, activities, tuner: slotTuner(board) },
  );
  const task = await world.accept(await world.newProject(), { request: { pool } });
  await temporal.startTask({ taskId: task.id, pool });
  return {
    task,
    engine,
    state: () => world.db.endpointStates.find(endpointId),
    /** Returns how many refusals the task has met; the owner probes the endpoint at once instead of within 2 s. */
    refusals: async () => {
      owner.maintainSoon();
      return (await world.db.attempts.list(task.id)).filter(({ outcome }) => outcome === 'refused').length;
    },
    moveClock: (seconds: number): void => {
      movedMilliseconds += seconds * 1000;
    },
    now: () => clock.now(),
    ended: () => temporal.client.workflow.getHandle(task.id).result(),
    stop: async () => {
      await stopWorkers();
      await owner.close();
      await locks.close();
      await parts.stopParts();
    },
  };
}

describe('a healthy endpoint that refuses every job', () => {
  it('trips with a growing back-off, and its task waits until the endpoint takes jobs again', async () => {
    const { task, engine, state, refusals, moveClock, now, ended, stop } = await startPool();
    engine.refuses = 'unreachable';
    await expect.poll(refusals).toBe(3);
    expect(await state()).toMatchObject({ consecutiveFailures: 3, lastFailure: 'engine_unavailable' });
    expect((await state())?.trippedUntil?.getTime()).toBeGreaterThan(now().getTime());

    // Each time on probation it refuses one job, so the ten refusals that end a task take more than half an hour.
    for (let count = 4; count <= 8; count += 1) {
      moveClock(601);
      await expect.poll(refusals).toBe(count);
      await expect.poll(state).toMatchObject({ consecutiveFailures: count });
    }
    expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'queued', counters: { refusalsInARow: 8 } });
    expect((await state())?.trippedUntil?.getTime()).toBeGreaterThan(now().getTime() + 500_000);

    engine.refuses = null;
    moveClock(601);
    await expect.poll(async () => (await refusals(), engine.submitted)).toEqual([`${task.id}-9`]);
    engine.jobs.set(`${task.id}-9`, { state: 'succeeded' });
    await ended();
    expect(await state()).toMatchObject({ consecutiveFailures: 0, trippedUntil: null });
    await stop();
  });

  it('ends a task by ten refusals if it says that it is busy, and does not trip', async () => {
    const { task, engine, state, refusals, ended, stop } = await startPool();
    engine.refuses = 'busy';
    await expect.poll(async () => (await refusals(), (await world.db.tasks.find(task.id))?.status)).toBe('failed');
    await ended();
    expect(await world.db.tasks.find(task.id)).toMatchObject({ error: { code: 'engine_unavailable' } });
    expect(await state()).toMatchObject({ consecutiveFailures: 0, trippedUntil: null });
    await stop();
  });
});
