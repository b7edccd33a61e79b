import { oneLine } from './one-line.ts';
import { cutTo, padTo, widthOf, wrapTo } from './text-width.ts';

/** A column of a table, and what happens to it in a terminal that is too narrow. */
export interface Column {
  title: string;
  /** Long texts are shortened to no less than this many cells. By default they are never shortened. */
  shrinksTo?: number;
  /** Whether a shortened text is continued on more lines, instead of cut. */
  wraps?: boolean;
  /** Columns with a lower number are left out first. By default a column is never left out. */
  leftOut?: number;
}

const gap = '  ';

/** Renders a table with numbers to the right. If it is too wide, texts are shortened first, then columns left out. */
export function renderTable(
  head: readonly (string | Column)[],
  rows: readonly (readonly string[])[],
  terminalWidth: number = Number.POSITIVE_INFINITY,
): string {
  const cells = rows.map((row) => row.map((cell) => oneLine(cell)));
  const columns = head.map((column, index) => {
    const options: Column = typeof column === 'string' ? { title: column } : column;
    const texts = cells.map((row) => row[index] ?? '');
    const width = Math.max(widthOf(options.title), ...texts.map(widthOf));
    const least = Math.max(widthOf(options.title), options.shrinksTo ?? width);
    return {
      ...options,
      index,
      width,
      least: Math.min(width, least),
      isRight: texts.length > 0 && texts.every(isNumber),
    };
  });
  const shown = keepWhatFits(columns, terminalWidth);
  const widths = shrink(shown, terminalWidth);
  const line = (texts: readonly string[]) =>
    shown
      .map(({ isRight }, place) => padTo(texts[place] ?? '', widths[place] ?? 0, isRight ? 'left' : 'right'))
      .join(gap)
      .trimEnd();
  const linesOf = (row: readonly string[]) => {
    const parts = shown.map(({ index, wraps }, place) => {
      const text = row[index] ?? '';
      const width = widths[place] ?? 0;
      return wraps ? wrapTo(text, width) : [cutTo(text, width)];
    });
    const height = Math.max(...parts.map(({ length }) => length));
    return Array.from({ length: height }, (_, number) => line(parts.map((part) => part[number] ?? '')));
  };
  return [line(shown.map(({ title }) => title)), ...cells.flatMap(linesOf)].join('\n');
}

interface Measured extends Column {
  index: number;
  width: number;
  /** The width below which the column is left out instead. */
  least: number;
  isRight: boolean;
}

/** Leaves columns out until the rest fits with every text shortened as far as it may be. */
function keepWhatFits(columns: readonly Measured[], terminalWidth: number): readonly Measured[] {
  if (totalOf(columns.map(({ least }) => least)) <= terminalWidth) return columns;
  const [first] = columns
    .filter((column) => column.leftOut !== undefined)
    .sort((one, other) => (one.leftOut ?? 0) - (other.leftOut ?? 0));
  if (!first) return columns;
  return keepWhatFits(
    columns.filter((column) => column !== first),
    terminalWidth,
  );
}

/** Returns the widths of the columns: the widest text gives way first. */
function shrink(columns: readonly Measured[], terminalWidth: number): number[] {
  const widths = columns.map(({ width }) => width);
  while (totalOf(widths) > terminalWidth) {
    const room = columns.map(({ least }, place) => ((widths[place] ?? 0) > least ? (widths[place] ?? 0) : 0));
    const widest = Math.max(...room);
    if (widest === 0) break;
    widths[room.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1));
}

function isNumber(text: string): boolean {
  return /^[-\d][\d.,]*( ?[a-z%]{1,2})?$/i.test(text) || text === '–';
}
