import { expect, it } from 'vitest';
import { systemClock } from '../../domain/clock.ts';
import { limits } from '../../domain/limits.ts';
import { createProjectLimit } from './project-limit.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('four creates of a project are under way at a time, the next ones in their order, and other projects do not wait', async () => {
  const limit = createProjectLimit({ clock: systemClock }, limits.creates);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const create = (projectId: string, name: string) =>
    limit.run({ projectId }, async () => {
      started.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
    });
  const creates = ['1', '2', '3', '4', '5', '6'].map((name) => create('proj_a', name));
  creates.push(create('proj_b', 'other'));
  await settled();
  expect(started).toEqual(['1', '2', '3', '4', 'other']);
  for (let count = 0; count < 7; count += 1) {
    ends.shift()?.();
    await settled();
  }
  await Promise.all(creates);
  expect(started).toEqual(['1', '2', '3', '4', 'other', '5', '6']);
});

const projectA = { projectId: 'proj_a' };
const projectB = { projectId: 'proj_b' };

/** Work that ends when the test says so, and that records its start. */
function startWork() {
  const started: number[] = [];
  const ends = new Map<number, () => void>();
  const work = (number: number) => async () => {
    started.push(number);
    await new Promise<void>((resolve) => ends.set(number, resolve));
    return number;
  };
  return { started, work, end: (number: number) => ends.get(number)?.() };
}

it('two reports of a project run at a time, the next ones in their order, and other projects do not wait', async () => {
  const limit = createProjectLimit({ clock: systemClock }, limits.reports);
  const { started, work, end } = startWork();
  const results = [1, 2, 3, 4].map((number) => limit.run(projectA, work(number)));
  const other = limit.run(projectB, work(10));
  await settled();
  expect(started).toEqual([1, 2, 10]);
  end(2);
  expect(await results[1]).toBe(2);
  await settled();
  expect(started).toEqual([1, 2, 10, 3]);
  end(1);
  end(3);
  await settled();
  expect(started).toEqual([1, 2, 10, 3, 4]);
  end(4);
  end(10);
  expect(await Promise.all([...results, other])).toEqual([1, 2, 3, 4, 10]);
});

it('beyond 20 waiting reports a project is told to send fewer at a time, until some have ended', async () => {
  const limit = createProjectLimit({ clock: systemClock }, limits.reports);
  const { work, end } = startWork();
  const results = Array.from({ length: 22 }, (_, number) => limit.run(projectA, work(number)));
  await expect(limit.run(projectA, work(99))).rejects.toMatchObject({
    code: 'rate_limited',
    retryAfterSeconds: 1,
    message: expect.stringContaining('Send fewer at a time'),
  });
  end(0);
  await results[0];
  const last = limit.run(projectA, async () => 'done');
  for (let number = 1; number < 22; number += 1) {
    await settled();
    end(number);
  }
  expect(await last).toBe('done');
});

it('a report that fails makes room for the next one', async () => {
  const limit = createProjectLimit({ clock: systemClock }, limits.reports);
  for (let tries = 0; tries < 5; tries += 1)
    await expect(limit.run(projectA, async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await limit.run(projectA, async () => 1)).toBe(1);
});
