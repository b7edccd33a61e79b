import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, matchesGlob, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadProofs } from '../proofs/load-proofs.ts';
import vitestConfig from '../vitest.config.ts';
import { projectFiles, repository } from './project-files.fixture.ts';

// A path in a text or a configuration file goes stale unnoticed when the file moves: a proof shrinks to its smoke size,
// a rule guards a folder that no longer exists, a link in a document is dead. So these tests compare every such path
// with the tree.

const files = projectFiles();
const folders = new Set(files.flatMap((path) => parentsOf(path)));
/** Every file and folder of the repository. Folders have no slash at the end. */
const paths = new Set([...files, ...folders]);

/** Examples of paths, and paths that exist only after a command has run; neither is among the tracked files. */
const notTracked = [
  /^\.(?:stack|tools|cog|git)(?:\/|$)/,
  /^\.env$/,
  /(?:^|\/)(?:node_modules|dist)(?:\/|$)/,
  // CONTRIBUTING shows names of files that a contributor might add.
  /^scenes\/volcano\.ts$/,
  /^x\.(?:stack\.)?test\.ts$/,
];

/** In the tables of these documents the left column holds former or planned names. */
const namesFormerPaths = new Set(['docs/renamed.md', 'docs/decisions/0010-deviations.md']);

describe('the proofs', async () => {
  test.each(await loadProofs())('$name covers only paths that exist', ({ covers }) => {
    expect(covers.filter((prefix) => !files.some((path) => path.startsWith(prefix)))).toEqual([]);
    expect(covers.some((prefix) => prefix.startsWith('server/src/'))).toBe(true);
  });
});

test('every pattern in knip.json matches a file', () => {
  // The tool's own schema defines this shape.
  const { workspaces } = readJson('knip.json') as {
    workspaces: Record<string, { entry?: string[]; project: string[] }>;
  };
  const patterns = Object.entries(workspaces).flatMap(([folder, { entry = [], project }]) =>
    [...entry, ...project].map((pattern) => join(folder, pattern.replace(/^!/, ''))),
  );
  expect(patterns.flatMap(expandBraces).filter(matchesNothing)).toEqual([]);
});

test('every override in .oxlintrc.json matches a file', () => {
  const { overrides } = readJson('.oxlintrc.json') as { overrides: { files: string[] }[] };
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
  const missing = named.filter((path) => !files.some((file) => file.startsWith(path)) && !isAllowed(path));
  expect([...new Set(missing)]).toEqual([]);
});

describe('the documents', () => {
  const documents = files.filter((path) => path.endsWith('.md') && path !== 'CHANGELOG.md');

  test.each(documents)('%s names only paths that exist', (document) => {
    const text = readFileSync(join(repository, document), 'utf8').replaceAll(/^( *)```[\s\S]*?^\1```/gm, '');
    expect([...deadLinks(document, text), ...deadPaths(document, text)]).toEqual([]);
  });
});

function deadLinks(document: string, text: string): string[] {
  return [...text.matchAll(/\]\((?![a-z]+:)([^)#\s]+)[^)]*\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !exists(join(dirname(document), target)) && !isAllowed(target));
}

function deadPaths(document: string, text: string): string[] {
  const body = namesFormerPaths.has(document) ? text.replaceAll(/^\|[^|]*\|/gm, '|') : text;
  return [...body.matchAll(/`([^`\n]+)`/g)]
    .flatMap(([, span = '']) => span.split(/\s+/))
    .map((word) => word.replace(/^["'(]+|["'),;:]+$/g, ''))
    .filter((word) => looksLikePath(word) && !isAllowed(word) && !isNamed(document, word));
}

/** Whether a word of a code span is a path in this repository rather than a URL, a media type, a package or a model. */
function looksLikePath(word: string): boolean {
  if (!/^[\w@.*][\w@.*{},-]*(?:\/[\w@.*{},-]+)*\/?$/.test(word)) return false;
  const [first = ''] = word.split('/');
  if (word.includes('/') && (folders.has(first) || folders.has(`server/src/${first}`))) return true;
  return /\w\.(?:ts|cjs|py)$/.test(word) || (word.includes('/') && /\.(?:js|json|md|py|sh|sql|txt|ya?ml)$/.test(word));
}

/** Whether the word is an existing path, from the root or from the document's folder, or the end of a longer path. */
function isNamed(document: string, word: string): boolean {
  const path = word.replace(/\/$/, '');
  const [first = ''] = path.split('/');
  const isWhole = path.includes('/') && folders.has(first);
  return expandBraces(path).every(
    (name) =>
      exists(name) ||
      exists(join(dirname(document), name)) ||
      (!isWhole && [...paths].some((known) => matchesGlob(known, `**/${name}`))),
  );
}

function exists(path: string): boolean {
  const plain = normalize(path).replace(/\/$/, '');
  return (
    plain === '.' || paths.has(plain) || (plain.includes('*') && [...paths].some((known) => matchesGlob(known, plain)))
  );
}

function isAllowed(path: string): boolean {
  return notTracked.some((pattern) => pattern.test(normalize(path)));
}

function matchesNothing(pattern: string): boolean {
  return !files.some((path) => matchesGlob(path, pattern));
}

function parentsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === '.' ? [] : [parent, ...parentsOf(parent)];
}

/** Expands `{a,b}/*.ts` to `a/*.ts` and `b/*.ts`, so that one alternative cannot hide another that matches nothing. */
function expandBraces(pattern: string): string[] {
  const [whole, choices] = /\{([^{}]*)\}/.exec(pattern) ?? [];
  if (whole === undefined || choices === undefined) return [pattern];
  return choices.split(',').flatMap((choice) => expandBraces(pattern.replace(whole, choice)));
}

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

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(repository, path), 'utf8'));
}
