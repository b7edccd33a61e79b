import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidFromId } from '../../domain/id.ts';
import { beginOrThrow, createWorld, newPlace, type World } from '../operations.fixture.ts';
import { cancelTask } from '../tasks/cancel-task.ts';
import { freeSlot } from './free-slot.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.close());

describe('beginning', () => {
  it('is won by exactly one of many tasks on one slot; the others stay queued', async () => {
    const project = await world.newProject({ runningLimit: 20 });
    const tasks = await Promise.all(Array.from({ length: 20 }, () => world.accept(project)));
    const place = newPlace();
    await world.db.leases.ensureSlots(place.endpointId, 1);
    const begun = await Promise.all(tasks.map((task) => world.begin(task, place)));
    expect(begun.filter(({ kind }) => kind === 'begun')).toHaveLength(1);
    expect(begun.filter(({ kind }) => kind === 'slot-taken')).toHaveLength(19);
    const found = await Promise.all(tasks.map((task) => world.db.tasks.find(task.id)));
    expect(found.filter((task) => task?.status === 'in_progress')).toHaveLength(1);
    // Nothing of a begin that failed is left: not its version, not its start, no event.
    const untouched = found.filter(
      (task) => task?.status === 'queued' && task.version === 1 && task.startedAt === null,
    );
    expect(untouched).toHaveLength(19);
    expect(await eventsOf(tasks.map(({ id }) => id))).toHaveLength(1);
  });

  it('is won once when one task is begun on many slots at the same moment', async () => {
    const task = await world.accept(await world.newProject());
    const endpointId = newPlace().endpointId;
    await world.db.leases.ensureSlots(endpointId, 10);
    const begun = await Promise.all(Array.from({ length: 10 }, (_, slot) => world.begin(task, { endpointId, slot })));
    expect(begun.filter(({ kind }) => kind === 'begun')).toHaveLength(1);
    expect(begun.filter(({ kind }) => kind === 'not-queued')).toHaveLength(9);
    expect((await world.db.leases.ofEndpoint(endpointId)).freeSlots).toHaveLength(9);
  });

  it('draws a greater fencing number each time a slot is taken', async () => {
    const place = newPlace();
    const numbers = [];
    for (let count = 0; count < 5; count += 1) {
      const { attempt } = await beginOrThrow(world, await world.accept(await world.newProject()), place);
      numbers.push(BigInt(attempt.fencing));
      expect(await freeSlot(world, attempt)).toBe(true);
    }
    expect(numbers).toEqual(numbers.toSorted((one, other) => (one < other ? -1 : 1)));
    expect(new Set(numbers).size).toBe(5);
  });

  it('does nothing to a task that has ended, and leaves the slot free', async () => {
    const task = await world.accept(await world.newProject());
    await cancelTask(world, task.id);
    const place = newPlace();
    expect(await world.begin(task, place)).toEqual({ kind: 'not-queued' });
    expect((await world.db.leases.ofEndpoint(place.endpointId)).freeSlots).toEqual([0]);
    expect(await world.db.attempts.list(task.id)).toEqual([]);
  });

  it('stores lease, attempt and event with the status, and our id for the engine', async () => {
    const place = newPlace();
    const { task, attempt } = await beginOrThrow(world, await world.accept(await world.newProject()), place);
    expect(attempt).toMatchObject({ ...place, attempt: 1, engineJobId: `${task.id}-1`, slotFreedAt: null });
    expect(attempt.operation).toEqual({ jobId: `${task.id}-1` });
    expect(await world.db.attempts.find(task.id, 1)).toEqual(attempt);
    expect((await world.db.leases.ofEndpoint(place.endpointId)).freeSlots).toEqual([]);
    expect(await eventsOf([task.id])).toEqual([{ type: 'video.started', attempt: 1 }]);
  });
});

describe('freeing a slot', () => {
  it('happens once, adds the engine time once, and serves the next task', async () => {
    const place = newPlace();
    const { task, attempt } = await beginOrThrow(world, await world.accept(await world.newProject()), place);
    world.moveClock(12);
    expect(await freeSlot(world, attempt)).toBe(true);
    expect(await freeSlot(world, attempt)).toBe(false);
    const again = await world.db.attempts.find(task.id, 1);
    if (!again) throw new Error('the attempt is gone');
    expect(await freeSlot(world, again)).toBe(true); // whoever reads that it was freed need not do it
    expect(await world.db.tasks.find(task.id)).toMatchObject({ stage: 'finishing', engineSeconds: 12 });
    await beginOrThrow(world, await world.accept(await world.newProject()), place);
  });
});

function eventsOf(taskIds: string[]) {
  const uuids = taskIds.map((id) => uuidFromId('task', id) ?? '');
  return world.db.kysely.selectFrom('events').select(['type', 'attempt']).where('task_id', 'in', uuids).execute();
}
