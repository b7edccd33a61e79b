import { expect, test } from 'vitest';
import { type Outcome, runAll } from './run-all.ts';

const items = Array.from({ length: 20 }, (_, index) => index);

test('every item is run once, and never more at once than allowed', async () => {
  let running = 0;
  let most = 0;
  const ran: number[] = [];
  await runAll(
    items,
    async (item) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      ran.push(item);
      running -= 1;
    },
    { atOnce: 4, signal: new AbortController().signal, onOutcome: () => undefined },
  );
  expect(ran.toSorted((one, other) => one - other)).toEqual(items);
  expect(most).toBe(4);
});

test('a failure is told with its item, and the others still run', async () => {
  const outcomes: Outcome<number>[] = [];
  const failure = new Error('refused');
  await runAll(items, (item) => (item === 3 ? Promise.reject(failure) : Promise.resolve()), {
    atOnce: 2,
    signal: new AbortController().signal,
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  expect(outcomes).toHaveLength(items.length);
  expect(outcomes.filter(({ error }) => error !== null)).toEqual([{ item: 3, error: failure }]);
});

test('nothing new is started once the signal is aborted', async () => {
  const stopping = new AbortController();
  const ran: number[] = [];
  await runAll(
    items,
    async (item) => {
      ran.push(item);
      if (item === 5) stopping.abort();
    },
    { atOnce: 1, signal: stopping.signal, onOutcome: () => undefined },
  );
  expect(ran).toEqual([0, 1, 2, 3, 4, 5]);
});
