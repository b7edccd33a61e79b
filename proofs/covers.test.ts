import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serverPaths } from './server-paths.ts';

const folder = import.meta.dirname;
const names = globSync('*/', { cwd: folder }).map((path) => path.replace(/\/$/, ''));

// Read as text: to load a proof takes seconds.
test.each(names)('every path that the proof %s covers exists', (name) => {
  const source = readFileSync(join(folder, name, `${name}.ts`), 'utf8');
  const [, list = ''] = /\n {2}covers:([^]*?)\n {2}minutes:/.exec(source) ?? [];
  const [call = '', server = ''] = /serverPaths\(\s*[`']([^`']*)[`']/.exec(list) ?? [];
  const others = [...list.replace(call, '').matchAll(/'([^']+)'/g)].map(([, prefix = '']) => prefix);
  const covers = [...serverPaths(server), ...others];
  const isGone = (prefix: string): boolean => globSync(`${prefix}*`, { cwd: join(folder, '..') }).length === 0;
  expect(covers.filter(isGone)).toEqual([]);
  expect(server).not.toBe('');
});
