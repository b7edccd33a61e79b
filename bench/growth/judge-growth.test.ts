import { expect, it } from 'vitest';
import { judgeGrowth } from './judge-growth.ts';

const statesOf = (...buffers: number[]) =>
  buffers.map((pages, index): [string, Map<string, { buffers: number; rows: number }>] => [
    `state ${index + 1}`,
    new Map([['read', { buffers: pages, rows: 1 }]]),
  ]);
const hot = new Set(['read']);

it('an operation of the hot path that reads 1.2 times the pages with the larger backlog passes', () => {
  expect(judgeGrowth(hot, statesOf(100, 120, 500))).toEqual({
    lines: ['read: 100 → 120 pages, 1.20 times'],
    failures: [],
  });
});

it('an operation of the hot path that reads more fails, and others may grow', () => {
  expect(judgeGrowth(hot, statesOf(100, 121)).failures).toEqual([
    'growth: read reads 121 pages with state 2, 1.21 times the 100 with state 1',
  ]);
  expect(judgeGrowth(new Set(), statesOf(100, 900)).failures).toEqual([]);
});

it('a few pages are no growth, and an operation that was not measured is a failure', () => {
  expect(judgeGrowth(hot, statesOf(5, 50)).failures).toEqual([]);
  expect(judgeGrowth(new Set(['create']), statesOf(5, 50)).failures).toHaveLength(1);
  expect(judgeGrowth(hot, statesOf(5))).toEqual({ lines: [], failures: [] });
});
