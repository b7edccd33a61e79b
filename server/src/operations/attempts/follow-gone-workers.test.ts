import { expect, it } from 'vitest';
import { judgeLook, type Memory } from './follow-gone-workers.ts';

const fresh: Memory = { lastLookAt: null, trustsSilenceFrom: 0, followed: null };
/** A relay that has looked every second for a while, last at second 99. */
const steady = (...followed: string[]): Memory => ({
  lastLookAt: 99_000,
  trustsSilenceFrom: 0,
  followed: new Set(followed),
});

it.each<[string, Memory, number, string[], boolean]>([
  ['a relay that has just begun to look trusts no silence', fresh, 100, ['a'], false],
  ['a worker that falls silent is followed', steady(), 100, ['a'], true],
  ['a worker whose attempts are followed costs nothing', steady('a'), 100, ['a'], false],
  ['a second worker that falls silent is followed', steady('a'), 100, ['a', 'b'], true],
  ['nothing is looked for while nobody is silent', steady('a'), 100, [], false],
  ['after a pause of the looks, the silence may be of Postgres', steady(), 110, ['a'], false],
  ['workers have five seconds to return', { ...steady(), trustsSilenceFrom: 104_000 }, 100, ['a'], false],
  ['workers that do not return are followed', { ...steady(), trustsSilenceFrom: 100_000 }, 100, ['a'], true],
])('%s', (_name, memory, seconds, gone, isDue) => {
  expect(judgeLook(memory, seconds * 1000, gone).isDue).toBe(isDue);
});

it('after a pause, every attempt is looked at again: Postgres forgets silent workers when it crashes', () => {
  let memory = steady('a');
  const due: number[] = [];
  for (const seconds of [110, 111, 112, 113, 114, 115]) {
    const look = judgeLook(memory, seconds * 1000, []);
    memory = look.memory;
    if (look.isDue) due.push(seconds);
  }
  expect(due).toEqual([115]);
});

it('a worker that returned and falls silent again is followed again', () => {
  const returned = judgeLook(steady('a'), 100_000, []).memory;
  expect(judgeLook(returned, 101_000, ['a']).isDue).toBe(true);
});
