import { expect, it } from 'vitest';
import { systemClock } from '../../domain/clock.ts';
import { createReportTurns } from './report-turns.ts';

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

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('two reports of a project run at a time, the next ones in their order, and other projects do not wait', async () => {
  const turns = createReportTurns({ clock: systemClock });
  const { started, work, end } = startWork();
  const results = [1, 2, 3, 4].map((number) => turns.take(projectA, work(number)));
  const other = turns.take(projectB, work(10));
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
  const turns = createReportTurns({ clock: systemClock });
  const { work, end } = startWork();
  const results = Array.from({ length: 22 }, (_, number) => turns.take(projectA, work(number)));
  await expect(turns.take(projectA, work(99))).rejects.toMatchObject({
    code: 'rate_limited',
    retryAfterSeconds: 1,
    message: expect.stringContaining('Send fewer at a time'),
  });
  end(0);
  await results[0];
  const last = turns.take(projectA, async () => 'done');
  for (let number = 1; number < 22; number += 1) {
    await settled();
    end(number);
  }
  expect(await last).toBe('done');
});

it('a report that fails gives its turn back', async () => {
  const turns = createReportTurns({ clock: systemClock });
  for (let tries = 0; tries < 5; tries += 1)
    await expect(turns.take(projectA, async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await turns.take(projectA, async () => 1)).toBe(1);
});
