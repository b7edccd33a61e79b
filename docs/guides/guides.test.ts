import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { blocksOf, guideNames, readGuide, readGuideFile, snippetsOf } from '../../e2e/guides-readme.ts';

const guideTests = readFileSync(new URL('../../e2e/guides.e2e.ts', import.meta.url), 'utf8');

describe.each(guideNames())('the guide %s', (guide) => {
  const shown = blocksOf(guide).filter(({ language }) => language !== 'console' && language !== 'text');

  test('shows every snippet of its folder exactly as it is in the file', () => {
    expect(shown.map(({ file }) => String(file)).toSorted()).toEqual(snippetsOf(guide).toSorted());
    for (const { file, text } of shown) expect(text).toBe(readGuideFile(`${guide}/${file}`));
  });

  test('has only snippets that e2e runs', () => {
    expect(snippetsOf(guide).filter((file) => !guideTests.includes(file))).toEqual([]);
  });

  test('contains no API key and no webhook secret', () => {
    const all = [readGuide(guide), ...snippetsOf(guide).map((file) => readGuideFile(`${guide}/${file}`))].join('\n');
    expect(all).not.toMatch(/kin_(?:test|live)_\w|whsec_[A-Za-z0-9+/]/);
  });

  test('links only to files that exist', () => {
    const links = [...readGuide(guide).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link = '']) => link);
    const missing = links.filter((link) => !existsSync(new URL(`${guide}/${link}`, import.meta.url)));
    expect(missing).toEqual([]);
  });
});

test('the index links to every guide', () => {
  const index = readGuide('.');
  expect(guideNames().filter((guide) => guide !== '.' && !index.includes(`](${guide}/README.md)`))).toEqual([]);
});

test('the files that a browser loads mention no API key, no Authorization header and no environment', () => {
  for (const file of ['browser-upload/page.html', 'browser-upload/make-video.js', 'browser-token/token-page.ts']) {
    expect(readGuideFile(file)).not.toMatch(/kin_|api.?key|authorization|process/i);
  }
});
