import { expect, test } from 'vitest';
import { oneLine } from './one-line.ts';
import { renderTable } from './table.ts';
import { cutTo, widthOf } from './text-width.ts';

test('columns are as wide as their widest cell, numbers are right-aligned, and lines have no trailing spaces', () => {
  expect(
    renderTable(
      ['line', 'outcome', 'seconds', 'file'],
      [
        ['9', 'completed', '7', 'a.mp4'],
        ['10', 'failed', '–', ''],
      ],
    ),
  ).toBe('line  outcome    seconds  file\n   9  completed        7  a.mp4\n  10  failed           –');
});

test('characters that take two cells, or none, keep the columns aligned', () => {
  const table = renderTable(
    ['prompt', 'x'],
    [
      ['船🚢', 'here'],
      ['e\u0301te\u0301', 'here'],
      ['plain', 'here'],
    ],
  );
  const columns = table
    .split('\n')
    .slice(1)
    .map((line) => widthOf(line.slice(0, line.indexOf('here'))));
  expect(new Set(columns)).toEqual(new Set([8]));
});

test('a prompt cannot move the cursor or start a line', () => {
  expect(renderTable(['prompt'], [['a\x1b[2Jb\nc']])).toBe('prompt\na [2Jb c');
  expect(renderTable(['prompt'], [['a\u202eb\u2028c']])).toBe('prompt\na b c');
  expect(oneLine('\u009b31mred\r\n')).toBe('31mred');
});

test('a text is cut between characters, and never exceeds its cells', () => {
  expect(cutTo('海を渡る船', 7)).toBe('海を渡…');
  expect(cutTo('海を渡る船', 6)).toBe('海を…');
  expect(cutTo('🚢🚢🚢', 5)).toBe('🚢🚢…');
  expect(cutTo('boat', 4)).toBe('boat');
});
