import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf, guideNames, readGuide, readGuideFile, snippetsOf } from '../e2e/guides-readme.ts';
import { readText } from './project-files.fixture.ts';

const guides = guideNames();
const snippets = guides.flatMap((guide) => snippetsOf(guide).map((file) => `${guide}/${file}`));

test('every guide shows every snippet of its folder exactly as it is in the file', () => {
  const shown = guides.flatMap((guide) =>
    blocksOf(guide)
      .filter(({ language }) => language !== 'console' && language !== 'text')
      .map(({ file, text }) => ({ path: `${guide}/${file}`, text })),
  );
  expect(shown.map(({ path }) => path).toSorted()).toEqual(snippets.toSorted());
  expect(shown.filter(({ path, text }) => text !== readGuideFile(path))).toEqual([]);
});

test('the guides have only snippets that e2e runs', () => {
  const e2e = readText('e2e/guides.e2e.ts');
  expect(snippets.filter((path) => !e2e.includes(basename(path)))).toEqual([]);
});

test('the guides contain no API key and no webhook secret', () => {
  const secret = /kin_(?:test|live)_\w|whsec_[A-Za-z0-9+/]/;
  const files = [...guides.map((guide) => `${guide}/README.md`), ...snippets];
  expect(files.filter((path) => secret.test(readGuideFile(path)))).toEqual([]);
});

test('the index links to every guide', () => {
  const index = readGuide('.');
  expect(guides.filter((guide) => guide !== '.' && !index.includes(`](${guide}/README.md)`))).toEqual([]);
});

test('the files that a browser loads mention no API key, no Authorization header and no environment', () => {
  const files = ['browser-upload/page.html', 'browser-upload/make-video.js', 'browser-token/token-page.ts'];
  expect(files.filter((file) => /kin_|api.?key|authorization|process/i.test(readGuideFile(file)))).toEqual([]);
});
