import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTurns } from './turns.ts';

it('turns are limited in total and to one per holder, and are given in order', async () => {
  const turns = createTurns(2);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1']) {
    void turns.take(name.slice(0, 1)).then((end) => {
      begun.push(name);
      ends.set(name, end);
    });
  }
  await nextRound();
  expect(begun).toEqual(['a1', 'b1']); // the turns of `a` wait for each other, but do not delay other holders
  ends.get('b1')?.();
  ends.get('b1')?.();
  await nextRound();
  expect(begun).toEqual(['a1', 'b1', 'c1']);
  ends.get('a1')?.();
  await nextRound();
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2']);
});
