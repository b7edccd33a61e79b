import { expect, test } from 'vitest';
import { createRateMemory } from './rate-memory.ts';

test('rate limits of many holders take bounded memory, and those in use are kept', () => {
  const rates = createRateMemory();
  for (let index = 0; index < 250_000; index += 1) {
    rates.take(`holder ${index}`, { perMinute: 1, burst: 1 }, 0);
    if (index % 25_000 === 0) rates.take('in use', { perMinute: 100, burst: 100 }, 0);
  }
  expect(rates.allowedAt('holder 0')).toBe(0);
  expect(rates.allowedAt('holder 249999')).toBeGreaterThan(0);
  expect(rates.allowedAt('in use')).toBe(10 * 600);
});
