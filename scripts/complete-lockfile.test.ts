import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type LockedPackage, renderLockfile, withoutIntegrity } from './complete-lockfile.ts';

type Platform = Pick<LockedPackage, 'os' | 'cpu' | 'libc'>;

const read = (path: string) => JSON.parse(readFileSync(join(import.meta.dirname, '..', path), 'utf8'));
const { packages } = read('package-lock.json') as { packages: Record<string, LockedPackage> };

/**
 * How many packages for other platforms have no integrity, by the package that they belong to. The registry mirror with
 * which the lockfile was written lacks these versions for other platforms, so their integrity was not known there. With
 * the whole registry, `npm run fix` adds it; then delete the line here.
 */
const unknown: Record<string, number> = {
  '@biomejs/biome@2.6.6': 6,
  '@napi-rs/canvas@1.1.0': 7,
  '@swc/core@1.16.22': 8,
  '@tailwindcss/oxide@4.3.5': 8,
  'oxc-parser@0.155.0': 15,
  'oxlint@1.93.0': 15,
  'oxlint-tsgolint@7.0.2006': 4,
};

test('every package in the lockfile has an integrity, except those whose integrity no one could look up', () => {
  const missing = withoutIntegrity(packages);
  const found: Record<string, number> = {};
  for (const [path, { version, optionalDependencies = {} }] of Object.entries(packages)) {
    const count = Object.keys(optionalDependencies).filter((name) => missing.includes(`node_modules/${name}`)).length;
    if (count > 0) found[`${path.replace('node_modules/', '')}@${version}`] = count;
  }
  expect(found).toEqual(unknown);
  expect(missing).toHaveLength(Object.values(unknown).reduce((sum, count) => sum + count, 0));
});

test('npm ci refuses every platform for which a package has no integrity', () => {
  const { os, cpu, libc } = read('package.json') as Platform;
  expect({ os, cpu, libc }).toEqual({ os: ['linux'], cpu: ['x64'], libc: ['glibc'] });
  const installable = withoutIntegrity(packages).filter((path) => {
    const one = packages[path] ?? {};
    const isFor = (field: keyof Platform, ...ours: string[]) => one[field]?.some((name) => ours.includes(name)) ?? true;
    return !one.optional || (isFor('os', 'linux') && isFor('cpu', 'x64') && isFor('libc', 'glibc'));
  });
  expect(installable).toEqual([]);
});

test('the lockfile names no download address', () => {
  expect(Object.values(packages).filter((one) => !one.link && 'resolved' in one)).toEqual([]);
});

test('a missing integrity comes from the registry', async () => {
  const asked: string[] = [];
  const { packages: completed } = JSON.parse(
    await renderLockfile(async (name, version) => {
      asked.push(`${name}@${version}`);
      return name === '@swc/core-darwin-x64' ? 'sha512-given' : null;
    }),
  );
  expect(asked).toHaveLength(withoutIntegrity(packages).length);
  expect(asked).toContain('@swc/core-darwin-x64@1.16.22');
  expect(withoutIntegrity(completed)).toHaveLength(asked.length - 1);
  expect(completed['node_modules/@swc/core-darwin-x64']).toMatchObject({ integrity: 'sha512-given', os: ['darwin'] });
});

test('an entry without integrity is found, and our own packages need none', () => {
  const found = withoutIntegrity({
    '': {},
    server: { version: '0.1.0' },
    'node_modules/kinora-server': { link: true },
    'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
    'node_modules/a/node_modules/b': { version: '1.0.0' },
  });
  expect(found).toEqual(['node_modules/a/node_modules/b']);
});
