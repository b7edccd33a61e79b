import { expect, test } from 'vitest';
import { createStatementNames } from './statement-names.ts';

const nameAfter = (uses: number, text: string, values: unknown[], names = createStatementNames()) => {
  for (let use = 1; use < uses; use += 1) names.nameOf(text, values);
  return names.nameOf(text, values);
};

test('a statement gets a name with its fifth use and keeps it', () => {
  const names = createStatementNames();
  expect(nameAfter(4, 'select $1', [1], names)).toBeUndefined();
  const name = names.nameOf('select $1', [2]);
  expect(name).toMatch(/^kinora_/);
  expect(names.nameOf('select $1', [3])).toBe(name);
});

test('different statements have different names', () => {
  const names = createStatementNames();
  expect(nameAfter(5, 'select $1', [1], names)).not.toBe(nameAfter(5, 'select $1 + 1', [1], names));
});

test('a statement without parameters never gets a name', () => {
  expect(nameAfter(10, 'begin', [])).toBeUndefined();
});

test('at most 300 statements have a name, so the memory of a session is bounded', () => {
  const names = createStatementNames();
  const given = Array.from({ length: 400 }, (_, index) => nameAfter(5, `select $1 + ${index}`, [1], names));
  expect(given.filter((name) => name !== undefined)).toHaveLength(300);
  expect(names.nameOf('select $1 + 0', [1])).toBe('kinora_1');
});

test('texts that are used once do not keep a frequent statement from getting its name', () => {
  const names = createStatementNames();
  for (let index = 0; index < 10_000; index += 1) names.nameOf(`select $1 + ${index}`, [1]);
  expect(nameAfter(5, 'select $1', [1], names)).toBeDefined();
});
