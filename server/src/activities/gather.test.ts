import { expect, it } from 'vitest';
import { systemClock } from '../domain/clock.ts';
import { gather } from './gather.ts';

it('answers the calls of a moment with one read, each with its own value', async () => {
  const reads: string[][] = [];
  const lengthOf = gather(systemClock, 1, async (words: readonly string[]) => {
    reads.push([...words]);
    return words.map(({ length }) => length);
  });
  expect(await Promise.all([lengthOf('a'), lengthOf('four'), lengthOf('a')])).toEqual([1, 4, 1]);
  expect(await lengthOf('later')).toBe(5);
  expect(reads).toEqual([['a', 'four', 'a'], ['later']]);
});

it('fails all calls of a read that fails, and no later one', async () => {
  let isUp = false;
  const read = gather(systemClock, 1, async (keys: readonly number[]) => {
    if (!isUp) throw new Error('away');
    return keys;
  });
  expect(await Promise.allSettled([read(1), read(2)])).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  isUp = true;
  expect(await read(3)).toBe(3);
});
