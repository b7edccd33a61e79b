import { expect, test } from 'vitest';
import { fuzzyFilter } from './fuzzy.ts';

const pages = [
  'Create',
  'Queue',
  'Gallery',
  'Usage',
  'Keys',
  'Webhooks',
  'Limits',
  'Audit log',
  'Switch to light theme',
];
const find = (typed: string) => fuzzyFilter(pages, typed, (page) => page);

test('nothing typed leaves everything in its order', () => {
  expect(find('')).toEqual(pages);
  expect(find('  ')).toEqual(pages);
});

test('the start of the text is better than the start of a word, and that is better than the middle', () => {
  expect(find('l')[0]).toBe('Limits');
  expect(find('log')[0]).toBe('Audit log');
  expect(find('us')[0]).toBe('Usage');
});

test('letters in order are enough', () => {
  expect(find('adlg')).toEqual(['Audit log']);
  expect(find('whk')).toEqual(['Webhooks']);
});

test('all words must be found, in any order', () => {
  expect(find('theme light')).toEqual(['Switch to light theme']);
  expect(find('theme purple')).toEqual([]);
});
