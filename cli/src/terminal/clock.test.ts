import { expect, test } from 'vitest';
import { dateAndTime, span, timeOfDay } from './clock.ts';
import { oneLine } from './one-line.ts';

test.each([
  [0, '0.0 s'],
  [41.27, '41.3 s'],
  [119.6, '2 min 0 s'],
  [3599.4, '59 min 59 s'],
  [7500, '2 h 5 min'],
])('%d seconds read as %s', (seconds, text) => {
  expect(span(seconds)).toBe(text);
});

test('times are shown in the local time zone', () => {
  const moment = new Date(2026, 0, 5, 7, 8, 9);
  expect(dateAndTime(moment.getTime() / 1000)).toBe('2026-01-05 07:08:09');
  expect(timeOfDay(moment.getTime() / 1000)).toBe('07:08:09');
});

test('a long line is cut between characters', () => {
  expect(oneLine('  a \n\t b ')).toBe('a b');
  expect(oneLine('🐞🐞🐞🐞', 5)).toBe('🐞🐞…');
  expect(oneLine('abc', 3)).toBe('abc');
});
