import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createKeyedSemaphore } from './keyed-semaphore.ts';

it('permits are limited in total and to one per holder, and are granted in order', async () => {
  const semaphore = createKeyedSemaphore(2);
  const begun: string[] = [];
  const releases = new Map<string, () => void>();
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1']) {
    void semaphore.acquire(name.slice(0, 1)).then((release) => {
      begun.push(name);
      releases.set(name, release);
    });
  }
  await nextRound();
  expect(begun).toEqual(['a1', 'b1']); // the requests of `a` wait for each other, but do not delay other holders
  releases.get('b1')?.();
  releases.get('b1')?.();
  await nextRound();
  expect(begun).toEqual(['a1', 'b1', 'c1']);
  releases.get('a1')?.();
  await nextRound();
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2']);
});
