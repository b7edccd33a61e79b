import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Contenders, createQueuePositions } from './queue-positions.ts';

const contender = (waiting: number, options: Partial<Contenders> = {}): Contenders => ({
  weight: 1,
  waiting,
  retries: 0,
  projects: 1,
  ...options,
});
const own = contender(100);
const positionOf = (place: number, others: Contenders[], mine: Contenders = own, isAtCap = false) =>
  createQueuePositions([...others, mine])({ contender: mine, place, isAtCap });

describe('the position in a pool', () => {
  it("is the place in the project's own queue if no other project waits", () => {
    expect(positionOf(7, [])).toBe(7);
  });

  it("counts as many tasks of each other project as of the task's own, as long as the other has some", () => {
    expect(positionOf(5, [contender(2), contender(1_000)])).toBe(5 + 2 + 5);
  });

  it("counts tasks of other projects by their weight relative to the task's own project", () => {
    expect(positionOf(4, [contender(1_000, { weight: 3 })])).toBe(4 + 12);
    expect(positionOf(6, [contender(1_000)], contender(9, { weight: 3 }))).toBe(6 + 2);
  });

  it("counts only the project's own queue if the project is at its cap", () => {
    expect(positionOf(3, [contender(1_000)], own, true)).toBe(3);
  });

  it('puts retries before all other tasks, in fair order among themselves', () => {
    const mine = contender(10, { retries: 1 });
    const other = contender(10, { retries: 5 });
    expect(positionOf(1, [other], mine)).toBe(2);
    expect(positionOf(2, [other], mine)).toBe(2 + 5 + 1);
    expect(positionOf(1, [other])).toBe(1 + 5 + 1);
  });

  it('grows with every place and never exceeds the number of waiting tasks', () => {
    const others = fc.array(
      fc.record({ waiting: fc.nat(50), retries: fc.nat(5), weight: fc.constantFrom(0.5, 1, 2, 3) }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(others, fc.integer({ min: 2, max: 40 }), fc.nat(5), (parts, place, retrying) => {
        const all = parts.map((part) => contender(part.waiting, part));
        const mine = contender(40, { retries: retrying });
        const total = place + all.reduce((sum, other) => sum + other.waiting + other.retries, 0);
        expect(positionOf(place, all, mine)).toBeGreaterThan(positionOf(place - 1, all, mine));
        expect(positionOf(place, all, mine)).toBeLessThanOrEqual(total);
      }),
    );
  });

  it('is the same whether equal projects are listed one by one or together', () => {
    const listed = [contender(3), contender(3), contender(9), contender(9), contender(9)];
    const together = [contender(3, { projects: 2 }), contender(9, { projects: 3 })];
    for (const place of [1, 2, 3, 4, 8, 9, 10]) expect(positionOf(place, together)).toBe(positionOf(place, listed));
  });

  it('is never below the place if the contenders are older and lack the project', () => {
    const mine = contender(100, { retries: 2, weight: 5 });
    const positions = createQueuePositions([contender(1)]);
    for (const place of [1, 2, 3, 100]) {
      expect(positions({ contender: mine, place, isAtCap: false })).toBeGreaterThanOrEqual(place);
    }
  });

  it('is the sum over the other projects that the fair order defines', () => {
    const part = fc.record({ waiting: fc.nat(50), retries: fc.nat(5), weight: fc.constantFrom(0.5, 1, 2, 3) });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), part, fc.integer({ min: 1, max: 40 }), (parts, mine, place) => {
        const others = parts.map((other) => contender(other.waiting, other));
        const rounds = (place - mine.retries) / mine.weight;
        const waiting = others.reduce((sum, other) => sum + Math.min(other.waiting, other.weight * rounds), 0);
        const retries = others.reduce((sum, other) => sum + other.retries, 0);
        const isRetry = place <= mine.retries;
        const early = others.reduce(
          (sum, other) => sum + Math.min(other.retries, (other.weight * place) / mine.weight),
          0,
        );
        const expected = isRetry ? place + early : place + retries + waiting;
        // Both round the same sum, which they add up in a different order.
        const position = positionOf(place, others, contender(mine.waiting, mine));
        expect(Math.abs(position - expected)).toBeLessThanOrEqual(0.5 + 1e-9);
      }),
    );
  });
});
