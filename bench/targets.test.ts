import { expect, test } from 'vitest';
import { targetRows, targetTable } from './targets.ts';

test('a target in multiples of the bare part is compared with the bare part of the same run', () => {
  const results = { create: { shown: { 'create: CPU µs': 800, 'bare create: CPU µs': 400 } } };
  expect(targetRows(results)).toEqual([
    {
      work: 'create, API and Postgres',
      bare: '400 µs',
      measured: '800 µs',
      target: '1000 µs (2.5 × bare)',
      isReached: true,
    },
  ]);
  results.create.shown['create: CPU µs'] = 1_001;
  expect(targetRows(results)).toMatchObject([{ isReached: false }]);
});

test('a multiple of a bare part that was not measured is not reached', () => {
  expect(targetRows({ create: { shown: { 'create: CPU µs': 1 } } })).toMatchObject([{ isReached: false }]);
});

test('the table has only the targets whose benches have run', () => {
  expect(targetTable(targetRows({ footprint: { shown: { 'admission: Postgres CPU ms': 0.4 } } }))).toEqual([
    '| Work                                      | Bare | Measured | Target | Reached |',
    '|-------------------------------------------|------|----------|--------|---------|',
    '| admitting a task, 46 partitions, Postgres | –    | 0.4 ms   | 1 ms   | yes     |',
  ]);
  expect(targetTable(targetRows({}))).toEqual([]);
});
