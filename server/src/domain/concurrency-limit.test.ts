import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createConcurrencyLimit, NoPermit } from './concurrency-limit.ts';

/** Lets each named request acquire a permit for the holder that its first letter names. */
function acquireAll(limit: ReturnType<typeof createConcurrencyLimit>, names: readonly string[]) {
  const begun: string[] = [];
  const releases = new Map<string, () => void>();
  for (const name of names) {
    void limit.acquire(name.slice(0, 1)).then((release) => {
      begun.push(name);
      releases.set(name, release);
    });
  }
  const release = async (name: string) => {
    releases.get(name)?.();
    await nextRound();
  };
  return { begun, release };
}

it('permits are limited in total and per holder, and are granted in order', async () => {
  const { begun, release } = acquireAll(createConcurrencyLimit({ total: 2, perHolder: 1 }), [
    'a1',
    'a2',
    'a3',
    'b1',
    'c1',
  ]);
  await nextRound();
  expect(begun).toEqual(['a1', 'b1']); // the requests of `a` wait for each other, but do not delay other holders
  await release('b1');
  await release('b1');
  expect(begun).toEqual(['a1', 'b1', 'c1']);
  await release('a1');
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2']);
});

it('holders that wait take turns, however many requests one of them has waiting', async () => {
  const many = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2'];
  const { begun, release } = acquireAll(createConcurrencyLimit({ total: 2, perHolder: 2 }), many);
  await nextRound();
  for (const name of ['a1', 'a2', 'a3', 'b1']) await release(name);
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'a4', 'b2']);
});

it('amounts are limited too, and a small one does not overtake a large one of another holder', async () => {
  const limit = createConcurrencyLimit({ total: 10, perHolder: 8 });
  const releaseFirst = await limit.acquire('a', { amount: 6 });
  const begun: string[] = [];
  void limit.acquire('b', { amount: 7 }).then(() => begun.push('b'));
  void limit.acquire('c', { amount: 2 }).then(() => begun.push('c'));
  await nextRound();
  expect(begun).toEqual([]);
  releaseFirst();
  await nextRound();
  expect(begun).toEqual(['b', 'c']);
});

it('a request that waits too long, or behind too many of its holder, is refused and told whose limit it was', async () => {
  const limit = createConcurrencyLimit({ total: 2, perHolder: 1, waitingPerHolder: 1 });
  const releaseFirst = await limit.acquire('a');
  const patience = new AbortController();
  const own = limit.acquire('a', { signal: patience.signal });
  await expect(limit.acquire('a')).rejects.toEqual(new NoPermit(true));
  await limit.acquire('b');
  const ofAll = limit.acquire('c', { signal: patience.signal });
  patience.abort();
  await expect(own).rejects.toMatchObject({ name: 'NoPermit', isOwnShare: true });
  await expect(ofAll).rejects.toMatchObject({ name: 'NoPermit', isOwnShare: false });
  releaseFirst(); // a request that gave up takes no permit
  await limit.acquire('c');
});

it('a permit is taken at once or not at all, and a second release of it frees nothing', () => {
  const limit = createConcurrencyLimit({ total: 3, perHolder: 2 });
  const taken = limit.tryAcquire('a');
  limit.tryAcquire('a');
  expect(limit.tryAcquire('a')).toEqual(new NoPermit(true));
  expect(limit.tryAcquire('b', { perHolder: 0 })).toEqual(new NoPermit(true));
  limit.tryAcquire('b');
  expect(limit.tryAcquire('c')).toMatchObject({ name: 'NoPermit', isOwnShare: false });
  for (const release of [taken, taken]) if (!(release instanceof NoPermit)) release();
  expect(limit.tryAcquire('c')).not.toBeInstanceOf(NoPermit);
  expect(limit.tryAcquire('d')).toBeInstanceOf(NoPermit);
});
