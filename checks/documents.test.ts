import { dirname, join, matchesGlob, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { expandBraces, projectFiles, readText } from './project-files.fixture.ts';

// docs/README.md leads to every page, and links and names of files do not go stale when a file moves.

const files = projectFiles();
const folders = new Set(files.flatMap(parentsOf));
/** Every file and folder of the repository. Folders have no slash at the end. */
const paths = [...files, ...folders];
const known = new Set(paths);
const documents = files.filter((path) => path.endsWith('.md') && path !== 'CHANGELOG.md');

/** Examples of paths, and paths that exist only after a command has run; neither is among the tracked files. */
const notTracked = [
  /^\.ci\/results\//,
  /^\.(?:stack|tools|cog|git)(?:\/|$)/,
  /^\.env$/,
  /(?:^|\/)(?:node_modules|dist)(?:\/|$)/,
  // CONTRIBUTING and animatic/README show names of files that a contributor might add.
  /^scenes\/volcano\.ts$/,
  /^x\.(?:stack\.)?test\.ts$/,
];

test('every link in a document leads to a file and a heading that exist', () => {
  expect(problemsOf((document, text) => deadLinks(document, text, readText))).toEqual([]);
});

test('every path that a document names exists', () => {
  expect(problemsOf(deadPaths)).toEqual([]);
});

test('a dead link, and a path that does not exist, are found', () => {
  const pages: Record<string, string> = {
    'docs/README.md': '# A boat\n\n## Sails, oars & `engines`\n\n## A boat\n\n```sh\n# no heading\n```\n',
  };
  const dead = (text: string) => deadLinks('docs/a.md', text, (path) => pages[path] ?? '');
  expect(dead('[a](README.md#a-boat) [b](README.md#sails-oars--engines) [c](README.md#a-boat-1)')).toEqual([]);
  expect(dead('[a](README.md#no-heading) [b](README.md#sails)')).toEqual(['README.md#no-heading', 'README.md#sails']);
  expect(dead('[a](https://example.com/boat.md#sails) [b](../README.md) [c](../docs/)')).toEqual([]);
  expect(dead('## Here\n\n[a](#here) [b](#there) [c](boat.md)')).toEqual(['#there', 'boat.md']);
  const named = (text: string) => deadPaths('docs/a.md', text);
  expect(named('`docs/README.md`, `domain/`, `checks/{documents,guides}.test.ts`, `*.test.ts`, `a/b`')).toEqual([]);
  expect(named('`docs/boat.md`, `domain/boat.ts`, `checks/{documents,boat}.test.ts`')).toEqual([
    'docs/boat.md',
    'domain/boat.ts',
    'checks/{documents,boat}.test.ts',
  ]);
});

test('docs/README.md leads to every page in docs/, directly or through the README of a folder', () => {
  const pages = documents.filter((path) => path.startsWith('docs/'));
  expect(pages.length).toBeGreaterThan(40);
  const found = new Set(['docs/README.md']);
  for (const page of found) {
    if (!page.endsWith('/README.md')) continue;
    for (const { target } of linksOf(page, withoutCode(readText(page)))) if (pages.includes(target)) found.add(target);
  }
  expect(pages.filter((page) => !found.has(page))).toEqual([]);
});

test('the README leads to docs/README.md', () => {
  expect(linksOf('README.md', readText('README.md')).map(({ target }) => target)).toContain('docs/README.md');
});

test('docs/promises.md names every proof, and no document names a proof that does not exist', () => {
  const proofs = files.flatMap((path) => /^proofs\/([a-z-]+)\/\1\.ts$/.exec(path)?.[1] ?? []).toSorted();
  const named = (path: string) =>
    new Set([...readText(path).matchAll(/npm run prove -- ([a-z-]+)/g)].map(([, name = '']) => name));
  const page = readText('docs/promises.md');
  const isKept = (name: string) => !readText(`proofs/${name}/${name}.ts`).includes('notYetKept:');
  expect(
    proofs.filter((name) => isKept(name) && !page.includes(`\`${name}\``) && !page.includes(`(../proofs/${name}/)`)),
  ).toEqual([]);
  const unknown = documents.flatMap((path) => [...named(path)].filter((name) => !proofs.includes(name)));
  expect(unknown).toEqual([]);
});

test('the README starts Kinora with the commands that a test runs', () => {
  const commands = [...readText('README.md').matchAll(/^docker .*$|\.\/secrets\b/gm)].map(([command]) => command);
  expect(commands).toEqual(['./secrets', 'docker compose up --detach --wait']);
  // deploy/compose/compose.package.ts runs this block of the page.
  const [, started = ''] = /\n```sh start\n([^]*?)```/.exec(readText('docs/operations/compose.md')) ?? [];
  expect(commands.filter((command) => !started.includes(command))).toEqual([]);
});

/** Returns what `find` finds in the documents, without their code blocks, each with the name of the document. */
function problemsOf(find: (document: string, text: string) => string[]): string[] {
  return documents.flatMap((document) =>
    find(document, withoutCode(readText(document))).map((problem) => `${document}: ${problem}`),
  );
}

interface Link {
  /** As the document writes it. */
  text: string;
  /** The path in the repository; the document itself for a link within the page. */
  target: string;
  anchor: string | null;
}

/** Returns the links of a document that lead to files of the repository. */
function linksOf(document: string, text: string): Link[] {
  return [...text.matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?[^)]*\)/g)].map(([, path = '', anchor]) => ({
    text: anchor === undefined ? path : `${path}#${anchor}`,
    target: path === '' ? document : normalize(join(dirname(document), path)),
    anchor: anchor ?? null,
  }));
}

/** Returns the links of a document whose file or heading does not exist, as the document writes them. */
function deadLinks(document: string, text: string, readPage: (path: string) => string): string[] {
  return linksOf(document, text)
    .filter(({ target, anchor }) => {
      if (target !== document && !exists(target)) return !isNotTracked(target);
      // The API reference shows introduction.md, and makes anchors of its own for it.
      if (anchor === null || !target.endsWith('.md') || document === 'server/src/api/introduction.md') return false;
      return !anchorsOf(target === document ? text : withoutCode(readPage(target))).has(anchor);
    })
    .map((link) => link.text);
}

/** Returns the anchors that GitHub makes of the headings of a page. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of page.matchAll(/^#{1,6} +(.*)$/gm)) {
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

/** Returns the paths in the code spans of a document that do not exist. */
function deadPaths(document: string, text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)]
    .flatMap(([, span = '']) => span.split(/\s+/))
    .map((word) => word.replace(/^["'(]+|["'),;:]+$/g, ''))
    .filter((word) => looksLikePath(word) && !isNotTracked(word) && !isNamed(document, word));
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
    (name) => exists(name) || exists(join(dirname(document), name)) || (!isWhole && isEndOfPath(name)),
  );
}

function exists(path: string): boolean {
  const plain = normalize(path).replace(/\/$/, '');
  return plain === '.' || known.has(plain) || (plain.includes('*') && paths.some((one) => matchesGlob(one, plain)));
}

function isEndOfPath(name: string): boolean {
  return paths.some((path) => (name.includes('*') ? matchesGlob(path, `**/${name}`) : path.endsWith(`/${name}`)));
}

function isNotTracked(path: string): boolean {
  return notTracked.some((pattern) => pattern.test(normalize(path)));
}

function parentsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === '.' ? [] : [parent, ...parentsOf(parent)];
}

function withoutCode(text: string): string {
  return text.replaceAll(/^( *)```[\s\S]*?^\1```/gm, '');
}
