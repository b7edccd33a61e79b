import { expect, test } from 'vitest';
import { readAddress } from './address.ts';
import { allForms } from './forms.ts';
import { judgeAddress } from './judge-address.ts';

test('there are more forms than promised, no two alike', () => {
  const urls = allForms().map(({ url }) => url);
  expect(urls.length).toBeGreaterThanOrEqual(320);
  expect(new Set(urls).size).toBe(urls.length);
});

test('every address that a form gives to a DNS answer is one that nothing may connect to', () => {
  const addresses = allForms().flatMap(({ address }) => (address === null ? [] : [address]));
  expect(addresses.filter((address) => judgeAddress(readAddress(address)).verdict === 'public')).toEqual([]);
});

test('the corpus is there as a whole, and what is only odd in it stays the exception', () => {
  const forms = allForms();
  expect(forms.filter(({ group }) => /^[A-G] /.test(group)).length).toBeGreaterThanOrEqual(180);
  expect(forms.filter(({ verdict }) => verdict === 'harmless').length).toBeLessThanOrEqual(5);
});
