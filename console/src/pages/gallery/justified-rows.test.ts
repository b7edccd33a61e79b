import { describe, expect, test } from 'vitest';
import { justifyRows, rowOf, tileBeside } from './justified-rows.ts';

const shapes = [16 / 9, 9 / 16, 4 / 3, 3 / 4, 21 / 9, 1];
/** A fixed mixture of all shapes. */
const ratios = Array.from({ length: 500 }, (_, index) => shapes[(index * 7 + (index >> 2)) % shapes.length] ?? 1);
const space = { width: 1200, gap: 8, targetHeight: 180, below: 28 };

describe.each([358, 720, 1200, 1552])('a justified grid of %i px', (width) => {
  const rows = justifyRows(ratios, { ...space, width });
  const full = rows.slice(0, -1);

  test('shows every picture once and in order', () => {
    expect(rows.flatMap(({ start, end }) => ratios.slice(start, end))).toEqual(ratios);
    expect(rows.every(({ start, end }) => end > start)).toBe(true);
  });

  test('fills every row but the last exactly', () => {
    for (const { start, end, height } of full) {
      const widths = ratios.slice(start, end).map((ratio) => ratio * height);
      const sum = widths.reduce((one, other) => one + other, 0) + space.gap * (end - start - 1);
      expect(sum).toBeCloseTo(width, 6);
    }
  });

  test('keeps rows near the height that was asked for', () => {
    for (const { height } of full) {
      expect(height).toBeGreaterThan(width < 400 ? 100 : 120);
      expect(height).toBeLessThan(space.targetHeight * 1.7);
    }
    expect(rows.at(-1)?.height).toBeLessThanOrEqual(space.targetHeight);
  });

  test('stacks rows without overlap, at whole pixels', () => {
    for (const [index, { top }] of rows.entries()) {
      const before = rows[index - 1];
      expect(top).toBe(before ? before.top + Math.ceil(before.height) + space.below : 0);
      expect(Number.isInteger(top)).toBe(true);
    }
  });
});

test('a picture wider than the page is as wide as the page', () => {
  expect(justifyRows([21 / 9, 1], { ...space, width: 300 })[0]).toMatchObject({
    start: 0,
    end: 1,
    height: 300 / (21 / 9),
  });
});

test('few pictures are not stretched', () => {
  expect(justifyRows([1], space)).toEqual([{ start: 0, end: 1, top: 0, height: 180 }]);
  expect(justifyRows([], space)).toEqual([]);
});

test('the arrow keys move to the picture in their direction', () => {
  // Two rows of three squares, then one square.
  const squares = Array.from({ length: 7 }, () => 1);
  const rows = justifyRows(squares, { width: 616, gap: 8, targetHeight: 200, below: 0 });
  const from = (index: number, direction: 'left' | 'right' | 'up' | 'down') =>
    tileBeside(index, direction, { rows, ratios: squares, gap: 8 });
  expect(rows.map(({ start }) => start)).toEqual([0, 3, 6]);
  expect(from(1, 'right')).toBe(2);
  expect(from(0, 'left')).toBe(0);
  expect(from(1, 'down')).toBe(4);
  expect(from(5, 'up')).toBe(2);
  expect(from(5, 'down')).toBe(6);
  expect(from(6, 'down')).toBe(6);
  expect(from(6, 'right')).toBe(6);
  expect(rowOf(4, rows)).toBe(1);
});
