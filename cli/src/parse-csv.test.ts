import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UsageError } from './exit-codes.ts';
import { parseCsv } from './parse-csv.ts';

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
/** Special characters of CSV are frequent here. \r is left out, because a lone \r ends a line. */
const cell = fc.string({ unit: fc.constantFrom('a', '船', ' ', ',', '"', '\n', ';', '\t') });
const table = fc.array(
  fc.array(cell, { minLength: 1, maxLength: 4 }).filter((cells) => cells.some((one) => one !== '')),
);

test('quoted cells are read unchanged, with any line ending and with a byte order mark', () => {
  fc.assert(
    fc.property(table, fc.constantFrom('\n', '\r\n'), fc.boolean(), fc.boolean(), (records, end, isMarked, isEnded) => {
      const lines = records.map((cells) => cells.map(quoted).join(','));
      const text = `${isMarked ? '\uFEFF' : ''}${lines.join(end)}${isEnded ? end : ''}`;
      expect(parseCsv(text).map(({ cells }) => cells)).toEqual(records);
    }),
  );
});

test('quotes are needed only around cells with special characters', () => {
  expect(parseCsv('prompt,seed\na "quoted" boat, 7\n"a, b",\n')).toEqual([
    { line: 1, cells: ['prompt', 'seed'] },
    { line: 2, cells: ['a "quoted" boat', ' 7'] },
    { line: 3, cells: ['a, b', ''] },
  ]);
});

test('a record has the number of its first line; empty lines count but are not records', () => {
  expect(parseCsv('a\n\n"b\nc"\nd').map(({ line }) => line)).toEqual([1, 3, 5]);
});

test('a quote that is never closed is refused with its line', () => {
  expect(() => parseCsv('a\n"b\nc')).toThrow(new UsageError('The quote that opens in line 2 is never closed.'));
});
