import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadProofs } from '../proofs/load-proofs.ts';
import { projectFiles, repository } from './project-files.fixture.ts';

// Keeps the documents findable: docs/README.md leads to every page, and a link leads to a heading that exists.
// named-paths.test.ts checks that the files behind links exist.

const documents = projectFiles('*.md').filter((path) => path !== 'CHANGELOG.md');
const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

test('docs/README.md leads to every page in docs/, directly or through the README of a folder', () => {
  const pages = documents.filter((path) => path.startsWith('docs/'));
  expect(pages.length).toBeGreaterThan(40);
  const found = new Set(['docs/README.md']);
  for (const page of found) {
    if (!page.endsWith('/README.md')) continue;
    for (const { target } of linksOf(page, read(page))) if (pages.includes(target)) found.add(target);
  }
  expect(pages.filter((page) => !found.has(page))).toEqual([]);
});

test('the README leads to docs/README.md', () => {
  expect(linksOf('README.md', read('README.md')).map(({ target }) => target)).toContain('docs/README.md');
});

test('docs/proofs.md names every proof, and no document names a proof that does not exist', async () => {
  const proofs = (await loadProofs()).map(({ name }) => name).toSorted();
  const named = (path: string) =>
    new Set([...read(path).matchAll(/npm run prove -- ([a-z-]+)/g)].map(([, name = '']) => name));
  expect([...named('docs/proofs.md')].toSorted()).toEqual(proofs);
  const unknown = documents.flatMap((path) => [...named(path)].filter((name) => !proofs.includes(name)));
  expect(unknown).toEqual([]);
});

test('the README starts Kinora with the commands that a test runs', () => {
  const commands = [...read('README.md').matchAll(/^docker .*$|\.\/secrets\b/gm)].map(([command]) => command);
  expect(commands).toEqual(['./secrets', 'docker compose up --detach --wait']);
  // deploy/compose/compose.package.ts runs this block of the page.
  const [, started = ''] = /\n```sh start\n([^]*?)```/.exec(read('docs/operations/compose.md')) ?? [];
  expect(commands.filter((command) => !started.includes(command))).toEqual([]);
});

describe('links to headings', () => {
  // The API reference shows introduction.md, and makes anchors of its own for it.
  test.each(documents.filter((path) => path !== 'server/src/api/introduction.md'))(
    'of %s lead to headings that exist',
    (document) => {
      expect(missingHeadings(document, read(document), read)).toEqual([]);
    },
  );

  test('are compared with the anchors that GitHub makes of headings', () => {
    const pages: Record<string, string> = {
      'docs/boat.md': '# A boat\n\n## Sails, oars & `engines`\n\n## A boat\n\n```sh\n# no heading\n```\n',
    };
    const missing = (text: string) => missingHeadings('docs/a.md', text, (path) => pages[path] ?? '');
    expect(missing('[a](boat.md#a-boat) [b](boat.md#sails-oars--engines) [c](boat.md#a-boat-1)')).toEqual([]);
    expect(missing('[a](boat.md#no-heading) [b](boat.md#sails)')).toEqual(['boat.md#no-heading', 'boat.md#sails']);
    expect(missing('[a](https://example.com/boat.md#sails)')).toEqual([]);
    expect(missing('## Here\n\n[a](#here) [b](#there)')).toEqual(['#there']);
  });
});

interface Link {
  /** As the document writes it. */
  text: string;
  /** The path in the repository; the document itself for a link within the page. */
  target: string;
  anchor: string | null;
}

/** Returns the links of a document that lead to files of the repository. */
function linksOf(document: string, text: string): Link[] {
  const matches = withoutCode(text).matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)/g);
  return [...matches].map(([, path = '', anchor]) => ({
    text: anchor === undefined ? path : `${path}#${anchor}`,
    target: path === '' ? document : normalize(join(dirname(document), path)),
    anchor: anchor ?? null,
  }));
}

/** Returns the links of a document whose heading does not exist, as the document writes them. */
function missingHeadings(document: string, text: string, readPage: (path: string) => string): string[] {
  return linksOf(document, text)
    .filter(({ target, anchor }) => anchor !== null && target.endsWith('.md'))
    .filter(({ target, anchor }) => !anchorsOf(target === document ? text : readPage(target)).has(anchor ?? ''))
    .map((link) => link.text);
}

/** Returns the anchors that GitHub makes of the headings of a page. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutCode(page).matchAll(/^#{1,6} +(.*)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

function withoutCode(text: string): string {
  return text.replaceAll(/^( *)```[\s\S]*?^\1```/gm, '');
}
