import { describe, expect, it } from 'vitest';
import { uuidFromId } from '../../domain/id.ts';
import { beginOrThrow, newPlace, useWorld } from '../operations.fixture.ts';
import { cancelTask } from '../tasks/cancel-task.ts';
import { freeSlot } from './free-slot.ts';

const world = useWorld();

describe('beginning an attempt', () => {
  it('exactly one of 20 tasks wins a single slot, and the others stay queued', async () => {
    const project = await world.newProject({ runningLimit: 20 });
    const tasks = await Promise.all(Array.from({ length: 20 }, () => world.accept(project)));
    const place = newPlace();
    await world.db.leases.ensureSlots(place.endpointId, 1);
    const begun = await Promise.all(tasks.map((task) => world.begin(task, place)));
    expect(begun.filter(({ kind }) => kind === 'begun')).toHaveLength(1);
    expect(begun.filter(({ kind }) => kind === 'slot-taken')).toHaveLength(19);
    const found = await Promise.all(tasks.map((task) => world.db.tasks.find(task.id)));
    expect(found.filter((task) => task?.status === 'in_progress')).toHaveLength(1);
    // A failed begin leaves no trace: the version and the start time are unchanged, and there is no event.
    const untouched = found.filter(
      (task) => task?.status === 'queued' && task.version === 1 && task.startedAt === null,
    );
    expect(untouched).toHaveLength(19);
    expect(await eventsOf(tasks.map(({ id }) => id))).toHaveLength(1);
  });

  it('a task that is begun on ten slots at the same moment takes only one of them', async () => {
    const task = await world.accept(await world.newProject());
    const endpointId = newPlace().endpointId;
    await world.db.leases.ensureSlots(endpointId, 10);
    const begun = await Promise.all(Array.from({ length: 10 }, (_, slot) => world.begin(task, { endpointId, slot })));
    expect(begun.filter(({ kind }) => kind === 'begun')).toHaveLength(1);
    expect(begun.filter(({ kind }) => kind === 'not-queued')).toHaveLength(9);
    expect((await world.db.leases.ofEndpoint(endpointId)).freeSlots).toHaveLength(9);
  });

  it('each begin on the same slot gets a greater fencing number', async () => {
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

  it('a task that has ended does not begin, and the slot stays free', async () => {
    const task = await world.accept(await world.newProject());
    await cancelTask(world, task.id);
    const place = newPlace();
    expect(await world.begin(task, place)).toEqual({ kind: 'not-queued' });
    expect((await world.db.leases.ofEndpoint(place.endpointId)).freeSlots).toEqual([0]);
    expect(await world.db.attempts.list(task.id)).toEqual([]);
  });

  it('the status, the lease, the attempt with its engine job id, and the event are stored together', async () => {
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
  it('a slot is freed once, its engine time counts once, and the next task can take it', async () => {
    const place = newPlace();
    const { task, attempt } = await beginOrThrow(world, await world.accept(await world.newProject()), place);
    await world.moveClock(12);
    expect(await freeSlot(world, attempt)).toBe(true);
    expect(await freeSlot(world, attempt)).toBe(false);
    const reread = await world.db.attempts.find(task.id, 1);
    if (!reread) throw new Error('the attempt was not found');
    expect(await freeSlot(world, reread)).toBe(true); // the attempt as read now says that its slot is free already
    expect(await world.db.tasks.find(task.id)).toMatchObject({ stage: 'finishing', engineSeconds: 12 });
    await beginOrThrow(world, await world.accept(await world.newProject()), place);
  });
});

function eventsOf(taskIds: string[]) {
  const uuids = taskIds.map((id) => uuidFromId('task', id) ?? '');
  return world.db.kysely.selectFrom('events').select(['type', 'attempt']).where('task_id', 'in', uuids).execute();
}
