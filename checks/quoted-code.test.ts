import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectFiles, repository } from './project-files.fixture.ts';

// Code in a document goes stale unnoticed: the file changes, and the document still shows the old code. So a TypeScript
// block either quotes a file, which the line above it names, or is marked as an illustration: ```ts illustration.

const fence = /^( *)```(\w+)(.*)\n([\s\S]*?)^\1```$/gm;
const typescript = new Set(['ts', 'tsx', 'mts', 'typescript']);

/** The guides have a stricter test of their own. The change log may show old code. */
const documents = projectFiles('*.md').filter((path) => !path.startsWith('docs/guides/') && path !== 'CHANGELOG.md');

test('every document shows code as it is in the file that it names', () => {
  const problems = documents.flatMap((document) =>
    problemsOf(readFile(document) ?? '', (path) => readFile(join(dirname(document), path)) ?? readFile(path)).map(
      (problem) => `${document}, ${problem}`,
    ),
  );
  expect(problems).toEqual([]);
});

test('CONTRIBUTING.md quotes code, so the comparison above has something to compare', () => {
  expect(documents).toContain('CONTRIBUTING.md');
  expect(typescriptBlocksOf(readFile('CONTRIBUTING.md') ?? '').length).toBeGreaterThan(0);
});

describe('the comparison', () => {
  const read = (path: string): string | null => (path === 'src/boat.ts' ? 'const a = 1;\n\nsail(a);\nmoor();\n' : null);
  const quoting = (lead: string, code: string, info = 'ts'): string =>
    `Text.\n\n${lead}\n\n\`\`\`${info}\n${code}\`\`\`\n`;

  test('accepts whole lines of the file that the line above names', () => {
    expect(problemsOf(quoting('This is `src/boat.ts`:', 'sail(a);  \nmoor();\n'), read)).toEqual([]);
  });

  test('rejects code that is not in the file, or not in this order', () => {
    expect(problemsOf(quoting('This is `src/boat.ts`:', 'sail(b);\n'), read)).toHaveLength(1);
    expect(problemsOf(quoting('This is `src/boat.ts`:', 'moor();\nsail(a);\n'), read)).toHaveLength(1);
    expect(problemsOf(quoting('This is `src/boat.ts`:', 'ail(a);\n'), read)).toHaveLength(1);
  });

  test('rejects an empty quotation, a missing file, and a block without a file name above it', () => {
    expect(problemsOf(quoting('This is `src/boat.ts`:', '\n'), read)).toHaveLength(1);
    expect(problemsOf(quoting('This is `src/ship.ts`:', 'sail(a);\n'), read)).toHaveLength(1);
    expect(problemsOf(quoting('This is a boat:', 'sail(a);\n'), read)).toHaveLength(1);
  });

  test('accepts an illustration, and any block in another language', () => {
    expect(problemsOf(quoting('Like this:', 'sail(b);\n', 'ts illustration'), read)).toEqual([]);
    expect(problemsOf(quoting('Like this:', 'sail(b);\n', 'sh'), read)).toEqual([]);
  });
});

/** Returns one sentence per TypeScript block that does not quote the file that it names. */
function problemsOf(document: string, read: (path: string) => string | null): string[] {
  return typescriptBlocksOf(document).flatMap(({ lineNumber, lead, code }) => {
    const path = [...lead.matchAll(/`([^`\s]+\.[cm]?tsx?)`/g)].at(-1)?.[1];
    if (path === undefined) return [`line ${lineNumber}: the line above the block names no file`];
    const file = read(path);
    if (file === null) return [`line ${lineNumber}: there is no ${path}`];
    const isQuoted = code.trim() !== '' && `\n${trimLines(file)}`.includes(`\n${trimLines(code)}`);
    return isQuoted ? [] : [`line ${lineNumber}: ${path} does not contain this block`];
  });
}

/** Returns the TypeScript blocks that are not illustrations, each with the last line of text above it. */
function typescriptBlocksOf(document: string): { lineNumber: number; lead: string; code: string }[] {
  return [...document.matchAll(fence)]
    .filter(([, , language = '', info = '']) => typescript.has(language) && info.trim() !== 'illustration')
    .map(({ index, 4: code = '' }) => {
      const before = document.slice(0, index);
      return { lineNumber: before.split('\n').length, lead: before.trimEnd().split('\n').at(-1) ?? '', code };
    });
}

/** Removes spaces at the ends of lines: they are invisible, so they must not matter. */
function trimLines(text: string): string {
  return text.replaceAll(/[ \t]+$/gm, '');
}

function readFile(path: string): string | null {
  const whole = join(repository, path);
  return existsSync(whole) ? readFileSync(whole, 'utf8') : null;
}
