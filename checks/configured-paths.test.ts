import { createRequire } from 'node:module';
import { join, matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import vitestConfig from '../vitest.config.ts';
import { expandBraces, projectFiles, readText } from './project-files.fixture.ts';

// A path in a configuration file goes stale unnoticed when the file moves: a rule guards a folder that no longer exists,
// or a test no longer runs. So these tests compare every such path with the tree.

const files = projectFiles();
const matchesNothing = (pattern: string): boolean => !files.some((path) => matchesGlob(path, pattern));

test('every pattern in knip.json matches a file', () => {
  // The tool's own schema defines this shape.
  const { workspaces } = JSON.parse(readText('knip.json')) as {
    workspaces: Record<string, { entry?: string[]; project: string[] }>;
  };
  const patterns = Object.entries(workspaces).flatMap(([folder, { entry = [], project }]) =>
    [...entry, ...project].map((pattern) => join(folder, pattern.replace(/^!/, ''))),
  );
  expect(patterns.flatMap(expandBraces).filter(matchesNothing)).toEqual([]);
});

test('every override in .oxlintrc.json matches a file', () => {
  const { overrides } = JSON.parse(readText('.oxlintrc.json')) as { overrides: { files: string[] }[] };
  expect(overrides.flatMap((override) => override.files).filter(matchesNothing)).toEqual([]);
});

test('every pattern in vitest.config.ts matches a file', () => {
  const patterns = (vitestConfig.test?.projects ?? []).flatMap((project) => {
    if (typeof project !== 'object' || !('test' in project)) return [];
    return [project.test?.include ?? [], project.test?.exclude ?? [], project.test?.globalSetup ?? []].flat();
  });
  expect(patterns.length).toBeGreaterThan(10);
  expect(patterns.filter(matchesNothing)).toEqual([]);
});

test('every path in the rules of .dependency-cruiser.cjs exists', () => {
  const rules: unknown = createRequire(import.meta.url)('../.dependency-cruiser.cjs').forbidden;
  const named = stringsOf(rules)
    // `$1` is what another expression of the rule has matched.
    .filter((text) => text.startsWith('^') && !text.startsWith('^$1'))
    .flatMap(pathsOfExpression);
  expect(named).toContain('server/src/domain/');
  const missing = named.filter((path) => !files.some((file) => file.startsWith(path)));
  expect([...new Set(missing)]).toEqual([]);
});

/** Returns the paths in a rule's expression: `^(a|b)/c\.ts$` has `a/c.ts` and `b/c.ts`. Modules have no slash. */
function pathsOfExpression(expression: string): string[] {
  const [whole, choices] = /\((?:\?[:!=])?([^()]*)\)\??/.exec(expression) ?? [];
  if (whole !== undefined && choices !== undefined) {
    return choices.split('|').flatMap((choice) => pathsOfExpression(expression.replace(whole, choice)));
  }
  const path = expression.replace(/^\^/, '').replace(/\$$/, '').replaceAll('\\', '');
  return path.includes('/') ? [path] : [];
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}
