import { expect, test } from 'vitest';
import { readAddress } from './address.ts';
import { allForms } from './forms.ts';
import { judgeAddress } from './judge-address.ts';

test('there are at least 320 hostile URLs, all different', () => {
  const urls = allForms().map(({ url }) => url);
  expect(urls.length).toBeGreaterThanOrEqual(320);
  expect(new Set(urls).size).toBe(urls.length);
});

test('every address of a hostile URL, which a DNS reply gives too, is forbidden', () => {
  const addresses = allForms().flatMap(({ address }) => (address === null ? [] : [address]));
  expect(addresses.filter((address) => judgeAddress(readAddress(address)).verdict === 'public')).toEqual([]);
});

test('the whole corpus is read, and at most five of its URLs are harmless', () => {
  const forms = allForms();
  expect(forms.filter(({ group }) => /^[A-G] /.test(group)).length).toBeGreaterThanOrEqual(180);
  expect(forms.filter(({ verdict }) => verdict === 'harmless').length).toBeLessThanOrEqual(5);
});
