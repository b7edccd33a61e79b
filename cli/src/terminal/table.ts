import { oneLine } from './one-line.ts';
import { padTo, widthOf } from './text-width.ts';

/**
 * Renders a table. Columns are as wide as their widest cell, numbers are right-aligned, and no line has trailing
 * spaces.
 */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cleaned = rows.map((row) => row.map((cell) => oneLine(cell)));
  const isNumber = (text: string) => /^[-\d][\d.,]*( ?[a-z%]{1,2})?$/i.test(text) || text === '–';
  const widths = head.map((title, column) =>
    Math.max(widthOf(title), ...cleaned.map((row) => widthOf(row[column] ?? ''))),
  );
  const isRight = head.map((_, column) => cleaned.length > 0 && cleaned.every((row) => isNumber(row[column] ?? '–')));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => padTo(cell, widths[column] ?? 0, isRight[column] ? 'left' : 'right'))
      .join('  ')
      .trimEnd();
  return [line(head), ...cleaned.map(line)].join('\n');
}
