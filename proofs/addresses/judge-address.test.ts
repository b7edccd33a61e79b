import { seededRandom } from '@kinora/stack/harness/seeded-random';
import { expect, test } from 'vitest';
import { readAddress, writeAddress } from './address.ts';
import { compareClassifier } from './compare-classifier.ts';
import { judgeAddress } from './judge-address.ts';

test.each([
  ['8.8.8.8', 'public', 'registries'],
  ['10.0.0.1', 'forbidden', 'registries'],
  ['100.63.255.255', 'public', 'registries'],
  ['100.64.0.0', 'forbidden', 'registries'],
  ['192.0.0.9', 'forbidden', 'ours'],
  ['192.0.0.8', 'forbidden', 'registries'],
  ['224.0.0.1', 'forbidden', 'registries'],
  ['255.255.255.255', 'forbidden', 'registries'],
  ['168.63.129.16', 'forbidden', 'ours'],
  ['::ffff:8.8.8.8', 'public', 'registries'],
  ['::ffff:127.0.0.1', 'forbidden', 'registries'],
  ['2606:4700:4700::1111', 'public', 'registries'],
  ['2606:4700::5efe:7f00:1', 'forbidden', 'ours'],
  ['2001:db8::1', 'forbidden', 'registries'],
  ['2001:20::1', 'forbidden', 'ours'],
  ['2001:200::1', 'public', 'registries'],
  ['64:ff9b::1', 'forbidden', 'ours'],
  ['fe80::1', 'forbidden', 'registries'],
  ['4000::1', 'forbidden', 'registries'],
])('%s is %s by the %s', (text, verdict, by) => {
  expect(judgeAddress(readAddress(text))).toEqual({ verdict, by });
});

test('an address that was read is written in the same form', () => {
  for (const text of ['0.0.0.0', '255.1.2.3', '::', '::1', '1::', 'fe80::a:0:1', '2001:db8:1:2:3:4:5:6'])
    expect(writeAddress(readAddress(text))).toBe(text);
});

test('a classifier that is wrong about one block is detected', async () => {
  const correct = (line: string) => judgeAddress(readAddress(line)).verdict;
  const mistaken = (line: string) => (line.startsWith('100.1') ? 'public' : correct(line));
  const compare = (classify: (line: string) => string) =>
    compareClassifier(
      async (line) => classify(line),
      seededRandom(7),
      20_000,
      () => undefined,
    );
  expect((await compare(correct)).disagreements).toEqual([]);
  const { disagreements, compared } = await compare(mistaken);
  expect(compared).toBe(20_000);
  expect(disagreements.length).toBeGreaterThan(10);
  expect(disagreements.every(({ expected, got }) => expected === 'forbidden' && got === 'public')).toBe(true);
});
