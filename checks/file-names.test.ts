import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';

/** The folders of each package. Base names of files are unique in a package, so that the name alone finds a file. */
const packages: Record<string, readonly string[]> = {
  server: ['server'],
  animatic: ['animatic'],
  boxes: ['boxes'],
  settings: ['settings'],
  stack: ['stack'],
  sdk: ['sdk'],
  cli: ['cli'],
  'ai-sdk': ['integrations/ai-sdk'],
  workspace: ['e2e', 'scripts', 'checks', 'bench', 'proofs'],
};

/** Conventional names of entry points, which may occur in several folders of a package. */
const namesOfEntries = new Set(['index.ts', 'main.ts']);

/** Names that do not say what the file contains. */
const meaninglessNames = new Set(['common.ts', 'utils.ts', 'shared.ts', 'helpers.ts', 'lib.ts']);

const root = join(import.meta.dirname, '..');

function sourcesIn(folders: readonly string[]): string[] {
  const patterns = folders.map((folder) => `${folder}/**/*.ts`);
  return globSync(patterns, { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path) }).sort();
}

it('no two files of a package have the same name', () => {
  const files = Object.values(packages).map(sourcesIn);
  expect(files).not.toContainEqual([]);
  const groups = files.flatMap((ofPackage) => [...Map.groupBy(ofPackage, (file) => basename(file))]);
  const repeated = groups.filter(([name, same]) => same.length > 1 && !namesOfEntries.has(name));
  expect(repeated.map(([, same]) => same.join(', '))).toEqual([]);
});

it('every file has a name that says what it contains', () => {
  const files = sourcesIn(Object.values(packages).flat());
  expect(files.filter((file) => meaninglessNames.has(basename(file)))).toEqual([]);
});
