import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { promptWarning } from '../storyboard/prompt-warning.ts';
import { readPrompt } from '../storyboard/read-prompt.ts';
import { vocabulary } from '../storyboard/vocabulary.ts';
import { contactSheetPrompts } from './contact-sheet-prompts.ts';

const { twelve, features, animalsAndRobot, imageMoves, ratios, seeds, image } = contactSheetPrompts;
const readme = readFileSync(join(import.meta.dirname, '../../../docs/animatic/README.md'), 'utf8');

test('the README captions of the contact sheets are their prompts, in the order of the rows', () => {
  const captions = [...readme.matchAll(/^\d+\. (.+)$/gm)].map(([, caption]) => caption);
  expect(captions).toEqual([...twelve, ...features, ...animalsAndRobot, ...imageMoves]);
  for (const prompt of [ratios, seeds, image]) expect(readme).toContain(`"${prompt}"`);
});

test('the sheets show every scene, subject, season, time and weather of the vocabulary', () => {
  const readings = twelve.map(readPrompt);
  const shown = (of: 'scene' | 'season' | 'time' | 'weather') => new Set(readings.map((reading) => reading[of]));
  expect([...shown('scene')]).toEqual(expect.arrayContaining(Object.keys(vocabulary.scenes)));
  expect([...shown('season')]).toEqual(expect.arrayContaining(Object.keys(vocabulary.seasons)));
  expect([...shown('time')]).toEqual(expect.arrayContaining(Object.keys(vocabulary.times)));
  expect([...shown('weather')]).toEqual(expect.arrayContaining(Object.keys(vocabulary.weathers)));
  const allReadings = [...readings, ...animalsAndRobot.map(readPrompt)];
  expect(allReadings.map(({ subject }) => subject)).toEqual(expect.arrayContaining(Object.keys(vocabulary.subjects)));
  expect(allReadings.flatMap(({ notUnderstood }) => notUnderstood)).toEqual([]);
});

test('the sheet of features shows each of them, and no prompt of a sheet gets a warning', () => {
  const shown = new Set(features.flatMap((prompt) => readPrompt(prompt).features));
  expect([...shown].toSorted()).toEqual(Object.keys(vocabulary.features).toSorted());
  for (const prompt of [...twelve, ...features, ratios, seeds, image])
    expect(promptWarning('text_to_video', prompt)).toBeNull();
  for (const prompt of imageMoves) expect(promptWarning('image_to_video', prompt)).toBeNull();
});
