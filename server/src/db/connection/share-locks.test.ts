import { describe, expect, test } from 'vitest';
import { createShareLocks } from './share-locks.ts';

/** Several sessions of one group, without Postgres. */
function createGroup() {
  const holders = new Map<string, number>();
  const sessions = new Map<number, { wanted: string[]; decide: ReturnType<typeof createShareLocks> }>();
  let now = 0;
  let moves = 0;
  const join = (self: number, wanted: string[]): void => {
    // Each session has an order of its own.
    const preferred = [...wanted.slice(self % wanted.length), ...wanted.slice(0, self % wanted.length)];
    sessions.set(self, { wanted: preferred, decide: createShareLocks() });
  };
  const leave = (self: number): void => {
    sessions.delete(self);
    for (const [name, holder] of holders) if (holder === self) holders.delete(name);
  };
  /** Lets every session do so many rounds, one per second. */
  const run = (rounds: number): void => {
    for (let round = 0; round < rounds; round += 1) {
      now += 1_000;
      for (const [self, { wanted, decide }] of sessions) {
        const heldBy = (isOwn: boolean) =>
          new Set(wanted.filter((name) => holders.has(name) && (holders.get(name) === self) === isOwn));
        const oldestFirst = [...sessions.keys()].sort((one, other) => one - other);
        const found = { wanted, own: heldBy(true), others: heldBy(false), sessions: oldestFirst, self };
        const { giveUp, take } = decide(found, now);
        for (const name of giveUp) holders.delete(name);
        for (const name of take) holders.set(name, self);
        moves += giveUp.length + take.length;
      }
    }
  };
  const counts = (): number[] =>
    [...sessions.keys()].map((self) => [...holders.values()].filter((holder) => holder === self).length);
  return { join, leave, run, counts, moves: () => moves };
}

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `endpoint-${index}`);

describe('locks that are shared out', () => {
  test('all go to a single session, and a session that joins gets its share within 3 rounds', () => {
    const group = createGroup();
    group.join(1, names(10));
    group.run(2);
    expect(group.counts()).toEqual([10]);
    group.join(2, names(10));
    group.join(3, names(10));
    group.run(3);
    expect(group.counts()).toEqual([4, 3, 3]);
  });

  test('pass to the others within 2 rounds when a session is gone', () => {
    const group = createGroup();
    for (const self of [1, 2, 3]) group.join(self, names(10));
    group.run(3);
    group.leave(2);
    group.run(2);
    expect(group.counts()).toEqual([5, 5]);
  });

  test('are not moved while the sessions stay the same', () => {
    const group = createGroup();
    for (const self of [1, 2, 3, 4]) group.join(self, names(10));
    group.run(3);
    const before = group.moves();
    group.run(1_000);
    expect(group.moves()).toBe(before);
    expect(group.counts()).toEqual([3, 3, 2, 2]);
  });

  test('leave sessions without one if there are more sessions than locks', () => {
    const group = createGroup();
    for (const self of [1, 2, 3]) group.join(self, names(2));
    group.run(3);
    expect(group.counts()).toEqual([1, 1, 0]);
  });

  test('are all held although only one session knows most of them, and seldom change hands', () => {
    const group = createGroup();
    group.join(1, names(10));
    group.join(2, names(2));
    group.run(10);
    const total = () => group.counts().reduce((sum, count) => sum + count);
    expect(total()).toBe(10);
    const before = group.moves();
    group.run(50);
    expect(group.moves()).toBe(before);
    expect(total()).toBe(10);
  });
});
