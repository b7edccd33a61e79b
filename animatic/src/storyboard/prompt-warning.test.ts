import { describe, expect, it } from 'vitest';
import { promptWarning } from './prompt-warning.ts';

const ofText = (prompt: string) => promptWarning('text_to_video', prompt)?.message ?? null;
const ofImage = (prompt: string) => promptWarning('image_to_video', prompt)?.message ?? null;

describe('a prompt for a video from text', () => {
  it.each(['a boat at dusk', 'pan left', 'in red', 'a storm', 'a street without unicorns'])(
    'of which all is understood has no warning: %s',
    (prompt) => expect(ofText(prompt)).toBeNull(),
  );

  it.each([
    [
      'An origami boat at dusk, in the rain, on a lake',
      'The animatic draws what it knows and passed over "origami". It will draw the sea at dusk in rain with a boat.',
    ],
    [
      'zig zag zug zog zeg zyg zag zab zub zob zeb zab zib zyb zun zon, a red bird filmed in slow motion with a pan',
      'The animatic draws what it knows and passed over "zig", "zag", "zug", "zog", "zeg", "zyg" and 8 more words. ' +
        'It will draw a bird in red, filmed with slow motion and a pan.',
    ],
    [
      'a city by the sea at night',
      'The animatic draws one scene, one subject and one of every other kind, and left out "sea". It will draw a city at night.',
    ],
    [
      'a dragon at sunrise',
      'The animatic draws what it knows and passed over "dragon". It will draw a landscape at dawn.',
    ],
  ])('is told what will be drawn and what not: %s', (prompt, message) => {
    expect(promptWarning('text_to_video', prompt)).toEqual({ code: 'prompt_not_understood', param: 'prompt', message });
  });

  it('of which nothing is understood is told what would be', () => {
    const knows =
      'It will draw an abstract picture; it knows scenes such as mountains, sea, forest, city, desert and space.';
    expect(ofText('一只猫')).toBe(`The animatic reads English words and does not know "一只猫". ${knows}`);
    expect(ofText('🎬')).toBe(`The animatic reads English words and found none that it can draw. ${knows}`);
  });

  it('has a short warning, however long it is', () => {
    const long = Array.from({ length: 500 }, (_, index) =>
      `zorp${index}`.replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? ''),
    );
    expect(ofText(`${long.join(' ')} ${'龍'.repeat(900)}`)?.length).toBeLessThan(500);
    expect(ofText(`sea ${'city forest desert mountains '.repeat(60)}`)?.length).toBeLessThan(500);
  });
});

describe('a prompt for a video from an image', () => {
  it('describes the image, which needs no warning once a camera move is named', () => {
    expect(ofImage('zoom in on the origami dragon')).toBeNull();
    expect(ofImage('the camera moves in')).toBeNull();
  });

  it('without a camera move is told that nothing else moves', () => {
    expect(ofImage('the boat sails away')).toContain('no camera move');
  });
});
