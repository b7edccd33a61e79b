/** A row of tiles of one height. Pixels. */
export interface JustifiedRow {
  /** The index of the first tile, and of the one after the last. */
  start: number;
  end: number;
  top: number;
  /** The height of the pictures. */
  height: number;
}

interface Space {
  width: number;
  gap: number;
  targetHeight: number;
  /** What a row has below its pictures: captions, and the distance to the next row. */
  below: number;
}

/** Lays pictures out in rows of the full width, in true ratios, near the target height; the last is not stretched. */
export function justifyRows(ratios: readonly number[], { width, gap, targetHeight, below }: Space): JustifiedRow[] {
  const rows: JustifiedRow[] = [];
  let top = 0;
  const close = (start: number, end: number, height: number): void => {
    rows.push({ start, end, top, height });
    top += Math.ceil(height) + below;
  };
  let start = 0;
  while (start < ratios.length) {
    let sum = 0;
    let end = start;
    let height = Number.POSITIVE_INFINITY;
    let before = height;
    while (end < ratios.length && height > targetHeight) {
      before = height;
      sum += ratios[end] ?? 1;
      end += 1;
      height = (width - gap * (end - start - 1)) / sum;
    }
    // The heights with and without the last picture are on both sides of the target.
    if (height <= targetHeight && before / targetHeight < targetHeight / height) {
      end -= 1;
      height = before;
    }
    close(start, end, height > targetHeight && end === ratios.length ? targetHeight : height);
    start = end;
  }
  return rows;
}

export type Direction = 'left' | 'right' | 'up' | 'down';

/** Returns the tile in a direction: beside it in the order, or the one above or below whose middle is nearest. */
export function tileBeside(
  index: number,
  direction: Direction,
  { rows, ratios, gap }: { rows: readonly JustifiedRow[]; ratios: readonly number[]; gap: number },
): number {
  if (direction === 'left') return Math.max(0, index - 1);
  if (direction === 'right') return Math.min(ratios.length - 1, index + 1);
  const at = rowOf(index, rows);
  const row = rows[at];
  const other = rows[at + (direction === 'down' ? 1 : -1)];
  if (!row || !other) return index;
  const middle = middlesOf(row, ratios, gap)[index - row.start] ?? 0;
  const distances = middlesOf(other, ratios, gap).map((one) => Math.abs(one - middle));
  return other.start + distances.indexOf(Math.min(...distances));
}

/** Returns the index of the row that has a tile. */
export function rowOf(index: number, rows: readonly JustifiedRow[]): number {
  return rows.findIndex(({ end }) => index < end);
}

function middlesOf({ start, end, height }: JustifiedRow, ratios: readonly number[], gap: number): number[] {
  let left = 0;
  return ratios.slice(start, end).map((ratio) => {
    const width = ratio * height;
    left += width + gap;
    return left - gap - width / 2;
  });
}
