import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRange } from './read-range.ts';

describe('readRange', () => {
  it.each([
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=10-19', { start: 10, end: 19 }],
    ['bytes=90-', { start: 90, end: 99 }],
    ['bytes=90-500', { start: 90, end: 99 }],
    ['bytes=-5', { start: 95, end: 99 }],
    ['bytes=-500', { start: 0, end: 99 }],
    ['Bytes = 1-2', { start: 1, end: 2 }],
  ])('reads %s', (header, range) => {
    expect(readRange(header, 100)).toEqual(range);
  });

  it.each(['bytes=100-', 'bytes=500-600', 'bytes=-0'])('cannot satisfy %s in 100 bytes', (header) => {
    expect(readRange(header, 100)).toBe('unsatisfiable');
  });

  it.each([
    undefined,
    '',
    'bytes=',
    'bytes=-',
    'bytes=5-4',
    'bytes=0-1,3-4',
    'items=0-1',
    'bytes=a-b',
    'bytes=0x1-2',
    'bytes=1',
  ])('requests the whole file for %s', (header) => {
    expect(readRange(header, 100)).toBeNull();
  });

  it('never returns a range beyond the file', () => {
    const number = fc.option(fc.nat(300), { nil: '' });
    fc.assert(
      fc.property(number, number, fc.integer({ min: 1, max: 200 }), (first, last, sizeBytes) => {
        const range = readRange(`bytes=${first}-${last}`, sizeBytes);
        const { start, end } = range === null || range === 'unsatisfiable' ? { start: 0, end: 0 } : range;
        expect(start >= 0 && start <= end && end < sizeBytes).toBe(true);
      }),
    );
  });
});
