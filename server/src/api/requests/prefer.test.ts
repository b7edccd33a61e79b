import { expect, it } from 'vitest';
import { preferredWaitSeconds, prefers } from './prefer.ts';

it('reads preferences as RFC 7240 writes them, and passes over what it does not know', () => {
  const header = ['respond-async; foo=bar, WAIT = "10"', 'handling=Strict'];
  expect(prefers(header, 'handling', 'strict')).toBe(true);
  expect(prefers(header, 'handling', 'lenient')).toBe(false);
  expect(preferredWaitSeconds(header)).toBe(10);
});

it('waits as long as it was asked to, a minute at most, and not at all for what is no number', () => {
  expect(['wait=0', 'wait=60', 'wait=61', 'wait=99999999'].map(preferredWaitSeconds)).toEqual([0, 60, 60, 60]);
  expect(['wait', 'wait=', 'wait=-1', 'wait=1.5', 'wait=x', '', undefined].map(preferredWaitSeconds)).toEqual(
    Array(7).fill(null),
  );
});
