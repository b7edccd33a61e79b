import { expect, test } from 'vitest';
import { oneLine } from './one-line.ts';
import { type Column, renderTable } from './table.ts';
import { cutTo, widthOf, wrapTo } from './text-width.ts';

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
  expect(widthOf('❤\ufe0f\u00ad')).toBe(3);
});

test('a text is wrapped between words, and inside a word only if it is longer than a line', () => {
  expect(wrapTo('a paper boat on a pond', 7)).toEqual(['a paper', 'boat on', 'a pond']);
  expect(wrapTo('a lighthouse', 5)).toEqual(['a', 'light', 'house']);
  expect(wrapTo('海を渡る船 at dusk', 7)).toEqual(['海を渡', 'る船 at', 'dusk']);
  expect(wrapTo('', 7)).toEqual(['']);
  expect(wrapTo('boat ', 4)).toEqual(['boat']);
  expect(wrapTo('船', 1)).toEqual(['船']);
});

const columns: Column[] = [
  { title: 'task' },
  { title: 'length', leftOut: 1 },
  { title: 'created', leftOut: 2 },
  { title: 'prompt', shrinksTo: 10 },
];
const row = ['task_1', '5 s', '3 min ago', 'a paper boat on a quiet pond'];
const lastLine = (width?: number) => renderTable(columns, [row], width).split('\n').at(-1);

test.each([
  [55, 'task_1     5 s  3 min ago  a paper boat on a quiet pond'],
  [43, 'task_1     5 s  3 min ago  a paper boat on…'],
  [36, 'task_1  3 min ago  a paper boat on…'],
  [20, 'task_1  a paper boa…'],
])('in a terminal of %i columns, texts are shortened before columns are left out', (width, expected) => {
  const shown = lastLine(width);
  expect(shown).toBe(expected);
  expect(widthOf(shown ?? '')).toBeLessThanOrEqual(width);
});

test('without a terminal nothing is shortened', () => {
  expect(lastLine()).toBe(row.join('  ').replace('5 s', '   5 s'));
});

test('an id is never shortened, even if the terminal is narrower than the table', () => {
  expect(lastLine(5)).toBe('task_1  a paper b…');
});

test('a text that wraps continues below its own column', () => {
  const table = renderTable(['line', { title: 'reason', shrinksTo: 8, wraps: true }], [['1', 'name a file in it']], 16);
  expect(table).toBe('line  reason\n   1  name a\n      file in it');
});
