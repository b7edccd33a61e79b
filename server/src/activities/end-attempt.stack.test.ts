import { beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../db/access/project-table.ts';
import type { Task } from '../domain/task.ts';
import { retryTask } from '../operations/attempts/retry-task.ts';
import { beginOrThrow, newPlace, useWorld } from '../operations/operations.fixture.ts';
import { noteOutcome } from './end-attempt.ts';
import { SlotBoard } from './slot-board.ts';

const world = useWorld();
let project: Project;
beforeAll(async () => {
  project = await world.newProject({ runningLimit: 1000 });
});

type Place = ReturnType<typeof newPlace>;

const status = { pool: 'test', slots: 1, isAccepting: true, reason: null, engine: null, version: null, models: null };

/** Runs the next attempt of a task on an endpoint and records its outcome as a worker does. */
async function run(task: Task, place: Place, outcome: 'succeeded' | 'engine_crashed' | 'engine_lost') {
  const queued = await world.db.tasks.find(task.id);
  if (!queued) throw new Error('the task was not found');
  await world.moveClock(1);
  const { attempt } = await beginOrThrow(world, queued, place);
  await world.moveClock(1);
  const dependencies = { ...world, board: new SlotBoard(), maintainEndpoint: () => undefined };
  await noteOutcome(dependencies, task, attempt, outcome);
  const failure = outcome === 'succeeded' ? 'output_invalid' : outcome;
  await retryTask(world, attempt, { outcome: failure, stage: 'rendering', isJobOver: true });
}

async function newEndpoint({ hasWorked }: { hasWorked: boolean }) {
  const place = newPlace();
  await world.db.endpointStates.recordStatus(
    place.endpointId,
    { ...status, latencyMilliseconds: 1 },
    world.clock.now(),
  );
  if (hasWorked) await run(await world.accept(project), place, 'succeeded');
  return place;
}

async function failuresOf(...places: Place[]) {
  const states = await Promise.all(places.map(({ endpointId }) => world.db.endpointStates.find(endpointId)));
  return states.map((state) => ({ failures: state?.consecutiveFailures, isTripped: state?.trippedUntil !== null }));
}

const fine = { failures: 0, isTripped: false };

describe('a task that crashes every engine', () => {
  it('does not trip endpoints that have completed another task, in any of its attempts', async () => {
    const [one, two] = [await newEndpoint({ hasWorked: true }), await newEndpoint({ hasWorked: true })];
    const task = await world.accept(project);
    await run(task, one, 'engine_crashed');
    expect(await failuresOf(one, two)).toEqual([{ failures: 1, isTripped: false }, fine]);
    await run(task, two, 'engine_lost');
    expect(await failuresOf(one, two)).toEqual([fine, fine]);
    await run(task, one, 'engine_crashed');
    expect(await failuresOf(one, two)).toEqual([fine, fine]);
  });

  it('ends the trip that it caused together with another such task', async () => {
    const [one, two] = [await newEndpoint({ hasWorked: true }), await newEndpoint({ hasWorked: true })];
    const tasks = [await world.accept(project), await world.accept(project)];
    for (const task of tasks) await run(task, one, 'engine_crashed');
    expect(await failuresOf(one)).toEqual([{ failures: 2, isTripped: true }]);
    for (const task of tasks) await run(task, two, 'engine_crashed');
    expect(await failuresOf(one, two)).toEqual([fine, fine]);
  });

  it('counts against an endpoint that failed it twice, and against endpoints that never completed a task', async () => {
    const worked = await newEndpoint({ hasWorked: true });
    const stubborn = await world.accept(project);
    for (const _ of [1, 2]) await run(stubborn, worked, 'engine_crashed');
    expect(await failuresOf(worked)).toEqual([{ failures: 2, isTripped: true }]);

    const [one, two] = [await newEndpoint({ hasWorked: false }), await newEndpoint({ hasWorked: false })];
    const task = await world.accept(project);
    for (const place of [one, two, one]) await run(task, place, 'engine_crashed');
    expect(await failuresOf(one, two)).toEqual([
      { failures: 2, isTripped: true },
      { failures: 1, isTripped: false },
    ]);
  });

  it('is excused only a few times: endpoints that break together trip although they have worked before', async () => {
    const places = [await newEndpoint({ hasWorked: true }), await newEndpoint({ hasWorked: true })] as const;
    for (let count = 0; count < 5; count += 1) {
      const task = await world.accept(project);
      for (const place of places) await run(task, place, 'engine_crashed');
    }
    expect(await failuresOf(...places)).toEqual([
      { failures: 2, isTripped: true },
      { failures: 2, isTripped: true },
    ]);
  });
});
