import { expect, it } from 'vitest';
import { preferredWaitSeconds, prefers } from './prefer.ts';

it('preferences are read as RFC 7240 defines them, and unknown ones are ignored', () => {
  const header = ['respond-async; foo=bar, WAIT = "10"', 'handling=Strict'];
  expect(prefers(header, 'handling', 'strict')).toBe(true);
  expect(prefers(header, 'handling', 'lenient')).toBe(false);
  expect(preferredWaitSeconds(header)).toBe(10);
});

it('a wait takes the requested time but at most a minute, and is ignored if it is not a number', () => {
  expect(['wait=0', 'wait=60', 'wait=61', 'wait=99999999'].map(preferredWaitSeconds)).toEqual([0, 60, 60, 60]);
  expect(['wait', 'wait=', 'wait=-1', 'wait=1.5', 'wait=x', '', undefined].map(preferredWaitSeconds)).toEqual(
    Array(7).fill(null),
  );
});
