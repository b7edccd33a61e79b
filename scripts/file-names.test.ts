import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';

/** Folders whose listing is the table of contents of one package: a name in it must say which file is meant. */
const packages: Record<string, readonly string[]> = {
  server: ['server'],
  animatic: ['animatic'],
  boxes: ['boxes'],
  settings: ['settings'],
  stack: ['stack'],
  sdk: ['sdk'],
  cli: ['cli'],
  'ai-sdk': ['integrations/ai-sdk'],
  workspace: ['e2e', 'scripts', 'bench', 'proofs'],
};

/** Every package may have one of each: the name says what it is. */
const namesOfEntries = new Set(['index.ts', 'main.ts']);

/** Names that say nothing about what is inside. */
const namesThatSayNothing = new Set(['common.ts', 'utils.ts', 'shared.ts', 'helpers.ts', 'lib.ts']);

const root = join(import.meta.dirname, '..');

function sourcesIn(folders: readonly string[]): string[] {
  const patterns = folders.map((folder) => `${folder}/**/*.ts`);
  return globSync(patterns, { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path) }).sort();
}

it.each(Object.entries(packages))('no two files of %s have the same name', (_name, folders) => {
  const files = sourcesIn(folders);
  expect(files).not.toEqual([]);
  const byName = Map.groupBy(files, (file) => basename(file));
  const repeated = [...byName].filter(([name, same]) => same.length > 1 && !namesOfEntries.has(name));
  expect(repeated.map(([, same]) => same.join(', '))).toEqual([]);
});

it('no file has a name that says nothing about what is inside', () => {
  const files = sourcesIn(Object.values(packages).flat());
  expect(files.filter((file) => namesThatSayNothing.has(basename(file)))).toEqual([]);
});
