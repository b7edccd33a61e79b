import { expect, it } from 'vitest';
import { isTooMuchToDecode } from './image-rules.ts';

const largest = { width: 6000, height: 6000, channels: 3, bytesPerSample: 1, isProgressive: false, isTurned: false };

it.each([
  ['JPEG', { format: 'jpeg' }],
  ['JPEG on its side', { format: 'jpeg', isTurned: true }],
  ['progressive JPEG on its side', { format: 'jpeg', isProgressive: true, isTurned: true }],
  ['progressive JPEG in four inks', { format: 'jpeg', channels: 4, isProgressive: true }],
  ['interlaced PNG in 16 bits with alpha', { format: 'png', channels: 4, bytesPerSample: 2, isProgressive: true }],
  ['PNG in 16 bits with alpha, on its side', { format: 'png', channels: 4, bytesPerSample: 2, isTurned: true }],
  ['WebP with alpha', { format: 'webp', channels: 4 }],
] as const)('a %s of the largest size is not too much to decode', (_, kind) => {
  expect(isTooMuchToDecode({ ...largest, ...kind })).toBe(false);
});

it.each([
  ['progressive JPEG in four inks', { format: 'jpeg', channels: 4, isProgressive: true }],
  ['interlaced PNG in 16 bits with alpha', { format: 'png', channels: 4, bytesPerSample: 2, isProgressive: true }],
  ['WebP', { format: 'webp' }],
] as const)('a %s on its side is too much to decode at the largest size, but not at 24 megapixels', (_, kind) => {
  expect(isTooMuchToDecode({ ...largest, ...kind, isTurned: true })).toBe(true);
  expect(isTooMuchToDecode({ ...largest, ...kind, isTurned: true, width: 6000, height: 4000 })).toBe(false);
});
