import { describe, expect, it } from 'vitest';
import { promptWarning } from './prompt-warning.ts';

const ofText = (prompt: string) => promptWarning('text_to_video', prompt)?.message ?? null;
const ofImage = (prompt: string) => promptWarning('image_to_video', prompt)?.message ?? null;

describe('a prompt for a video from text', () => {
  it.each(['a boat at dusk', 'pan left', 'in red', 'a storm', 'a street without unicorns'])(
    'a prompt that is fully understood gets no warning: %s',
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
  ])('the warning says what will be drawn and what will not: %s', (prompt, message) => {
    expect(promptWarning('text_to_video', prompt)).toEqual({ code: 'prompt_not_understood', param: 'prompt', message });
  });

  it('a prompt of which nothing is understood gets a warning that lists known scenes', () => {
    const knows =
      'It will draw an abstract picture; it knows scenes such as mountains, sea, forest, city, desert and space.';
    expect(ofText('一只猫')).toBe(`The animatic reads English words and does not know "一只猫". ${knows}`);
    expect(ofText('🎬')).toBe(`The animatic reads English words and found none that it can draw. ${knows}`);
  });

  it('the warning is short, however long the prompt is', () => {
    const long = Array.from({ length: 500 }, (_, index) =>
      `zorp${index}`.replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? ''),
    );
    expect(ofText(`${long.join(' ')} ${'龍'.repeat(900)}`)?.length).toBeLessThan(500);
    expect(ofText(`sea ${'city forest desert mountains '.repeat(60)}`)?.length).toBeLessThan(500);
  });
});

describe('a prompt for a video from an image', () => {
  it('a prompt for an image gets no warning if it names a camera move, because its other words describe the image', () => {
    expect(ofImage('zoom in on the origami dragon')).toBeNull();
    expect(ofImage('the camera moves in')).toBeNull();
  });

  it('a prompt for an image gets a warning if it names no camera move, because nothing else moves', () => {
    expect(ofImage('the boat sails away')).toContain('no camera move');
  });
});
