import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from './project-files.fixture.ts';
import { isTitleIn } from './test-titles.fixture.ts';

// A promise that no test holds is a hope, and a reference to a test goes stale when the test is renamed. So each sentence
// of a promise in SECURITY.md needs a footnote, and each footnote must name tests that exist and are not expected to fail.

/** The sections whose bullets are promises. */
const promising = [
  'What one tenant cannot do to another',
  'URLs, images and engines',
  'Keys, signed URLs and secrets',
  'People and the console',
  'Take-down and audit',
  'Clients',
  'Supply chain',
];

const isTest = /\.(?:test|e2e)\.ts$|^proofs\//;

const document = readFileSync(join(repository, 'SECURITY.md'), 'utf8');

test('every sentence of a promise in SECURITY.md has a footnote', () => {
  expect(promising.filter((title) => bulletsOf(document, title).length === 0)).toEqual([]);
  expect(promising.flatMap((title) => bulletsOf(document, title).flatMap(sentencesWithoutNote))).toEqual([]);
});

test('every footnote of SECURITY.md is defined once and used', () => {
  const defined = notesOf(document).map(({ label }) => label);
  const used = [...document.matchAll(/\[\^([\w-]+)\](?!:)/g)].map(([, label = '']) => label);
  expect(defined.filter((label, index) => defined.indexOf(label) !== index)).toEqual([]);
  expect(defined.toSorted()).toEqual([...new Set(used)].toSorted());
});

test('every footnote of SECURITY.md names tests that exist', () => {
  const notes = notesOf(document);
  expect(notes.flatMap(({ label, text }) => missingTests(text).map((missing) => `${label}: ${missing}`))).toEqual([]);
});

test('a promise without a footnote, and a footnote to a test that does not exist or may fail, are found', () => {
  const bullets = bulletsOf('## A\n\n- **One.** Held.[^a]\n  Not\n  held.\n- Two.[^a] Three\n\nText.\n## B\n- C.', 'A');
  expect(bullets.flatMap(sentencesWithoutNote)).toEqual(['Not held.', 'Three']);
  expect(missingTests('nothing')).toEqual(['no test']);
  expect(missingTests('[a](e2e/nowhere.e2e.ts): “a”.')).toEqual(['e2e/nowhere.e2e.ts']);
  expect(missingTests('[a](README.md): “a”.')).toEqual(['README.md']);
  const itself = '[this](checks/security-promises.test.ts)';
  expect(missingTests(`${itself}.`)).toHaveLength(1);
  expect(missingTests(`${itself}: “every footnote of SECURITY.md names tests that exist”.`)).toEqual([]);
  expect(missingTests(`${itself}: “every footnote”, “of SECURITY.md”.`)).toHaveLength(2);
  expect(
    ['test(', 'it.each([1])(', "test.skipIf(isSlow)('b'); it(\n  "].map((call) => isTitleIn(`${call}'a'`, 'a')),
  ).toEqual([true, true, true]);
  expect(['test.fails(', 'it.skip(', 'it.todo(', '// '].map((call) => isTitleIn(`${call}'a'`, 'a'))).toEqual(
    Array(4).fill(false),
  );
});

/** Returns the bullets of a section, each on one line. */
function bulletsOf(text: string, title: string): string[] {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
  return [...section.matchAll(/^- (.*(?:\n {2}\S.*)*)/gm)].map(([, bullet = '']) => bullet.replaceAll(/\s+/g, ' '));
}

/** Returns the sentences of a bullet that do not end in a footnote. Bold words at its beginning are its heading. */
function sentencesWithoutNote(bullet: string): string[] {
  return bullet
    .replace(/^\*\*[^*]+\.\*\* /, '')
    .split(/(?<=\.|\.(?:\[\^[\w-]+\])+) /)
    .filter((sentence) => !/\.(?:\[\^[\w-]+\])+$/.test(sentence));
}

function notesOf(text: string): { label: string; text: string }[] {
  return [...text.matchAll(/^\[\^([\w-]+)\]: (.*(?:\n {4}.*)*)/gm)].map(([, label = '', note = '']) => ({
    label,
    text: note.replaceAll(/\s+/g, ' '),
  }));
}

/** Returns what a footnote names but the repository lacks: `[name](path): “title”, “group > title”; [name](path): …`. */
function missingTests(note: string): string[] {
  const references = [...note.matchAll(/\]\(([^)]+)\)(?:: )?((?:“[^”]+”(?:, )?)*)/g)];
  if (references.length === 0) return ['no test'];
  return references.flatMap(([, path = '', quoted = '']) => {
    if (!isTest.test(path) || !existsSync(join(repository, path))) return [path];
    const source = readFileSync(join(repository, path), 'utf8');
    const titles = [...quoted.matchAll(/“([^”]+)”/g)].flatMap(([, title = '']) => title.split(' > '));
    if (titles.length === 0) return [`${path}: no title`];
    return titles.filter((title) => !isTitleIn(source, title)).map((title) => `${path}: ${title}`);
  });
}
