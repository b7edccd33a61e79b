import { expect, it } from 'vitest';
import { shortReason } from './failure-of-text.ts';

it("an engine's error text is made short and printable, so that it fits into any column", () => {
  expect(shortReason('RuntimeError: no')).toBe('RuntimeError: no');
  expect(shortReason('a\u0000b\u001b[31mc\r\nd')).toBe('a b [31mc d');
  expect(shortReason(`${'a'.repeat(199)}😀`)).toBe(`${'a'.repeat(199)}\ufffd`);
  expect(shortReason('e'.repeat(100_000))).toHaveLength(200);
  for (const nothing of ['', null, undefined, 7, {}]) expect(shortReason(nothing)).toBe('the engine gave no reason');
});
