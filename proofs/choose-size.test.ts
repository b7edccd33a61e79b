import { expect, test } from 'vitest';
import { chooseSize, describeSizes } from './choose-size.ts';

const proof = { name: 'cost', covers: ['server/src/db/'] };

test('a proof runs at CI size if a path that it covers changed', () => {
  expect(chooseSize(proof, ['README.md', 'server/src/db/tasks.ts'])).toBe('ci');
});

test('a proof runs at smoke size if only other paths changed', () => {
  expect(chooseSize(proof, ['README.md', 'server/src/dbx.ts'])).toBe('smoke');
  expect(chooseSize(proof, [])).toBe('smoke');
});

test('a proof covers its own files, but not those of a proof whose name starts with the same letters', () => {
  expect(chooseSize(proof, ['proofs/cost.ts'])).toBe('ci');
  expect(chooseSize(proof, ['proofs/cost/read-wal.ts'])).toBe('ci');
  expect(chooseSize(proof, ['proofs/costume/costume.ts'])).toBe('smoke');
});

test('a proof runs at CI size if there is no base to compare with', () => {
  expect(chooseSize(proof, null)).toBe('ci');
});

test('one line reports how many proofs run at which size, and why', () => {
  expect(describeSizes(['ci', 'smoke', 'smoke'], 'b7c1f5acff7519701824d92179f0b28f984fdbf1')).toBe(
    'proofs: 1 at CI size (paths changed since b7c1f5a), 2 at smoke size',
  );
  expect(describeSizes(['ci', 'ci'], null)).toBe('proofs: 2 at CI size (no base to compare with), 0 at smoke size');
});
