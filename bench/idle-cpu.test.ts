import { expect, test } from 'vitest';
import { withoutIdleCpu } from './idle-cpu.ts';

test('the idle CPU time of a group is subtracted for the whole time of the measurement', () => {
  expect(withoutIdleCpu({ relay: 100, api: 50 }, { relay: 8, api: 0 }, 10)).toEqual({ relay: 20, api: 50 });
});

test('a group whose idle CPU time was not measured keeps its CPU time', () => {
  expect(withoutIdleCpu({ relay: 100 }, {}, 10)).toEqual({ relay: 100 });
});

test('a group that used less than its idle CPU time has a negative result', () => {
  expect(withoutIdleCpu({ relay: 70 }, { relay: 8 }, 10)).toEqual({ relay: -10 });
});
