import { expect, it } from 'vitest';
import { judgeLook, type Memory } from './follow-gone-workers.ts';

/** A relay that has looked every second for a while, last at second 99. */
const steady: Memory = { lastLookAt: 99_000, trustsSilenceFrom: 0, isOwed: false };

it.each<[string, Memory, number, boolean, boolean]>([
  ['a relay that has just begun to look trusts no silence', { ...steady, lastLookAt: null }, 100, true, false],
  ['the work of a worker that falls silent is looked for', steady, 100, true, true],
  ['nothing is looked for while nobody is silent', steady, 100, false, false],
  ['what did not fit into the look before is looked for', { ...steady, isOwed: true }, 100, false, true],
  ['after a pause of the looks, the silence may be of Postgres', steady, 110, true, false],
  ['workers have five seconds to return', { ...steady, trustsSilenceFrom: 104_000 }, 100, true, false],
  ['workers that do not return are followed', { ...steady, trustsSilenceFrom: 100_000 }, 100, true, true],
])('%s', (_name, memory, seconds, isAnyoneGone, isDue) => {
  expect(judgeLook(memory, seconds * 1000, isAnyoneGone).isDue).toBe(isDue);
});

it('after a pause, every task is looked at once: Postgres forgets silent workers when it crashes', () => {
  let memory = steady;
  const due: number[] = [];
  for (const seconds of [110, 111, 112, 113, 114, 115]) {
    const look = judgeLook(memory, seconds * 1000, false);
    memory = look.memory;
    if (look.isDue) due.push(seconds);
  }
  expect(due).toEqual([115]);
});
