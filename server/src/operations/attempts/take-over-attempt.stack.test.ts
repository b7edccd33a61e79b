import { describe, expect, it } from 'vitest';
import { beginOrThrow, newPlace, useWorld } from '../operations.fixture.ts';
import { cancelTask } from '../tasks/cancel-task.ts';
import { freeSlot } from './free-slot.ts';
import { retryTask } from './retry-task.ts';
import { takeOverAttempt } from './take-over-attempt.ts';

const world = useWorld();

const lost = { outcome: 'engine_lost', stage: 'rendering', isJobOver: true } as const;

async function beginOne(place = newPlace()) {
  return beginOrThrow(world, await world.accept(await world.newProject()), place);
}

async function takeOver(taskId: string) {
  const taken = await takeOverAttempt(world, taskId);
  if (taken.kind !== 'taken') throw new Error(`not taken over: ${taken.kind}`);
  return taken;
}

describe('taking over an attempt', () => {
  it('the former holder can neither free the slot nor retry the task', async () => {
    const place = newPlace();
    const { task, attempt: former } = await beginOne(place);
    const { attempt: current } = await takeOver(task.id);
    expect(BigInt(current.fencing)).toBeGreaterThan(BigInt(former.fencing));
    expect(current.attempt).toBe(former.attempt);

    expect(await freeSlot(world, former)).toBe(false);
    expect(await retryTask(world, former, lost)).toBe('not-ours');
    expect(await world.db.leases.free(place.endpointId, place.slot, former.fencing)).toBe(false);
    await world.db.engineJobs.name(former, { jobId: 'of the former holder' });
    expect(await world.db.attempts.isHeld(former)).toBe(false);

    expect(await world.db.attempts.isHeld(current)).toBe(true);
    expect(await world.db.attempts.find(task.id, 1)).toEqual(current);
    expect((await world.db.leases.ofEndpoint(place.endpointId)).freeSlots).toEqual([]);
    expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'in_progress', attempt: 1, engineSeconds: 0 });
    expect(await freeSlot(world, current)).toBe(true);
    expect((await world.db.leases.ofEndpoint(place.endpointId)).freeSlots).toEqual([0]);
  });

  it('a takeover does not touch a slot that was freed, even if another task has taken it since', async () => {
    const place = newPlace();
    const { task, attempt } = await beginOne(place);
    await freeSlot(world, attempt);
    const { attempt: current } = await takeOver(task.id);
    expect(current.slotFreedAt).not.toBeNull();
    expect((await world.db.leases.ofEndpoint(place.endpointId)).freeSlots).toEqual([0]);

    const other = await beginOne(place);
    await takeOver(task.id);
    expect(await world.db.leases.free(place.endpointId, place.slot, other.attempt.fencing)).toBe(true);
  });

  it('there is nothing to take over from a task that has ended, is queued or is unknown', async () => {
    const queued = await world.accept(await world.newProject());
    expect(await takeOverAttempt(world, queued.id)).toEqual({ kind: 'not-begun' });
    const { task } = await beginOne();
    await cancelTask(world, task.id);
    expect(await takeOverAttempt(world, task.id)).toEqual({ kind: 'final' });
    expect(await takeOverAttempt(world, task.id.replace(/.{4}$/, '0000'))).toEqual({ kind: 'final' });
  });

  it('ten takeovers at once get ten fencing numbers, and only the holder of the greatest may write', async () => {
    const { task } = await beginOne();
    const taken = await Promise.all(Array.from({ length: 10 }, () => takeOver(task.id)));
    const byNumber = taken
      .map(({ attempt }) => attempt)
      .sort((one, other) => Number(BigInt(one.fencing) - BigInt(other.fencing)));
    expect(new Set(byNumber.map(({ fencing }) => fencing)).size).toBe(10);
    const freed = [];
    for (const attempt of byNumber) freed.push(await freeSlot(world, attempt));
    expect(freed).toEqual([...Array.from({ length: 9 }, () => false), true]);
    const [attempt] = await world.db.attempts.list(task.id);
    expect(attempt?.takeovers).toBe(10);
  });

  it('a takeover and a retry exclude each other, even if both wait for the same row', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { task, attempt } = await beginOne();
      const contenders = [() => retryTask(world, attempt, lost), () => takeOverAttempt(world, task.id)];
      const settled = await whileLocked(task.id, round % 2 === 0 ? contenders : contenders.toReversed());
      const [retried, taken] = round % 2 === 0 ? settled : settled.toReversed();
      const found = await world.db.tasks.find(task.id);
      const retryWon = { retried: 'retry', taken: { kind: 'not-begun' }, found: { status: 'queued', attempt: 2 } };
      const takeoverWon = {
        retried: 'not-ours',
        taken: { kind: 'taken' },
        found: { status: 'in_progress', attempt: 1 },
      };
      expect({ retried, taken, found }).toMatchObject(retried === 'retry' ? retryWon : takeoverWon);
    }
  });
});

/** Starts the contenders one after the other while another transaction locks the task's row, then releases the lock. */
async function whileLocked(taskId: string, contenders: (() => Promise<unknown>)[]): Promise<unknown[]> {
  const lock = await world.lockTask(taskId);
  const running: Promise<unknown>[] = [];
  for (const [index, contend] of contenders.entries()) {
    let isOver = false;
    running.push(
      contend().finally(() => {
        isOver = true;
      }),
    );
    await world.waitUntilBlocked(index + 1, () => isOver);
  }
  await lock.release();
  return Promise.all(running);
}
