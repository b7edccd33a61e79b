import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = import.meta.dirname;
const names = globSync('*/', { cwd: folder }).map((path) => path.replace(/\/$/, ''));

// Read as text: to load a proof takes seconds.
test.each(names)('every path that the proof %s covers exists', (name) => {
  const [, list = ''] = /covers: \[([^\]]*)\]/.exec(readFileSync(join(folder, name, `${name}.ts`), 'utf8')) ?? [];
  const covers = [...list.matchAll(/'([^']+)'/g)].map(([, prefix = '']) => prefix);
  expect(covers).not.toEqual([]);
  expect(covers.filter((prefix) => globSync(`${prefix}*`, { cwd: join(folder, '..') }).length === 0)).toEqual([]);
});
