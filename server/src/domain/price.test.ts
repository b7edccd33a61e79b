import { expect, it } from 'vitest';
import { animatic } from './model.ts';
import { priceOf } from './price.ts';

const priced = (perSecond: string) => ({ ...animatic, price: { currency: 'USD', perSecond: { '720p': perSecond } } });

it.each([
  ['0.02', 5, '0.10'],
  ['0.1', 3, '0.3'], // 0.30000000000000004 in binary
  ['2', 10, '20'],
  ['0.000001', 1, '0.000001'],
  ['12.345', 7, '86.415'],
  ['0', 4, '0'],
  ['999999.999999', 10, '9999999.999990'],
])('%s per second for %i s is exactly %s', (perSecond, seconds, amount) => {
  expect(priceOf(priced(perSecond), '720p', seconds)).toEqual({ amount, currency: 'USD' });
});

it('a video has no price if the model has none for its resolution', () => {
  expect(priceOf(priced('1'), '480p', 5)).toBeNull();
  expect(priceOf(animatic, '720p', 5)).toBeNull();
});
