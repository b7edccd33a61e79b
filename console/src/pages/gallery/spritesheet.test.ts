import { expect, test } from 'vitest';
import { framePosition } from './spritesheet.ts';

test('the frames of a spritesheet run from its top left to its bottom right', () => {
  expect(framePosition(0)).toBe('0% 0%');
  expect(framePosition(0.05)).toBe('25% 0%');
  expect(framePosition(0.2)).toBe('0% 25%');
  expect(framePosition(0.5)).toBe('50% 50%');
  expect(framePosition(1)).toBe('100% 100%');
});

test('a pointer beyond the edge shows the nearest frame', () => {
  expect(framePosition(-0.1)).toBe('0% 0%');
  expect(framePosition(1.1)).toBe('100% 100%');
});
