import { describe, expect, test } from 'vitest';
import { type LockedPackage, withoutIntegrity } from '../scripts/complete-lockfile.ts';
import { projectFiles, readText } from './project-files.fixture.ts';

// What scripts/setup installs from package indexes is pinned to the byte: a file that differs is refused.

const inputs = projectFiles('*requirements*.in');

test('there are requirements for our tools, for uv and for each engine', () => {
  expect(inputs).toHaveLength(4);
});

describe.each(inputs)('%s', (input) => {
  const pinned = parseRequirements(readText(input.replace(/\.in$/, '.txt')));

  test('every Python package has the same version with hashes as without', () => {
    expect(pinned.map(({ requirement }) => requirement.toLowerCase().replaceAll('_', '-'))).toEqual(
      parseRequirements(readText(input))
        .map(({ requirement }) => requirement.toLowerCase().replaceAll('_', '-'))
        .toSorted(byName),
    );
  });

  test('every Python package has an exact version and at least one SHA-256', () => {
    expect(pinned.filter(({ requirement, hashes }) => !isExact(requirement) || hashes.length === 0)).toEqual([]);
  });
});

test('a Python package without a hash, or without an exact version, is found', () => {
  const [hashed, bare] = parseRequirements(`# a\na==1 \\\n    --hash=sha256:${'0'.repeat(64)}\nb>=2\n`);
  expect(hashed).toEqual({ requirement: 'a==1', hashes: ['0'.repeat(64)] });
  expect(bare).toEqual({ requirement: 'b>=2', hashes: [] });
  expect(['a==1', 'b>=2', 'c', 'd==1.*'].map(isExact)).toEqual([true, false, false, false]);
});

test.for(['node', 'runtimes'])('every npm package of scripts/tools/%s has an integrity and no address', (name) => {
  const { packages } = JSON.parse(readText(`scripts/tools/${name}/package-lock.json`)) as {
    packages: Record<string, LockedPackage & { inBundle?: boolean; resolved?: string }>;
  };
  // The packages inside another one are checked with it.
  expect(withoutIntegrity(packages).filter((path) => !packages[path]?.inBundle)).toEqual([]);
  expect(Object.values(packages).filter(({ resolved }) => resolved)).toEqual([]);
});

test('setup installs nothing from a package index without a hash, and runs no script of a package', () => {
  const commands = readText('scripts/setup')
    .split('\n')
    .filter((line) => !line.trim().startsWith('#'));
  const pip = commands.filter((line) => /\bpip install\b/.test(line));
  expect(pip).toHaveLength(2);
  for (const line of pip) expect(line).toContain('--require-hashes --only-binary :all:');
  const npm = commands.filter((line) => /\bnpm (?:ci|i|install|exec)\b|\bnpx /.test(line));
  expect(npm).toHaveLength(1);
  expect(npm[0]).toMatch(/npm ci .*--ignore-scripts/);
});

/** Reads requirements, whose lines may continue after a backslash. */
function parseRequirements(text: string): { requirement: string; hashes: string[] }[] {
  const lines = text.replaceAll('\\\n', ' ').split('\n');
  return lines
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => ({
      requirement: line.trim().split(' ')[0] ?? '',
      hashes: [...line.matchAll(/--hash=sha256:([0-9a-f]{64})(?= |$)/g)].map(([, hash = '']) => hash),
    }));
}

function isExact(requirement: string): boolean {
  return /^[\w.-]+==[\w.]+$/.test(requirement);
}

function byName(a: string, b: string): number {
  const [first = '', second = ''] = [a.split('==')[0], b.split('==')[0]];
  return first < second ? -1 : 1;
}
