import { describe, expect, it } from 'vitest';
import { promptWarning } from './prompt-warning.ts';

const ofText = (prompt: string) => promptWarning('text_to_video', prompt)?.message ?? null;
const ofImage = (prompt: string) => promptWarning('image_to_video', prompt)?.message ?? null;

describe('a prompt for a video from text', () => {
  it.each(['a boat at dusk', 'pan left', 'in red', 'a storm', 'a street without unicorns', 'a paper boat on a pond'])(
    'a prompt that is fully understood gets no warning: %s',
    (prompt) => expect(ofText(prompt)).toBeNull(),
  );

  it.each([
    [
      'A clockwork boat at dusk, in the rain, on a lake',
      'The built-in engine won\'t draw "clockwork". It will draw the sea at dusk in rain with a boat.',
    ],
    [
      'zig zag zug zog zeg zyg zag zab zub zob zeb zab zib zyb zun zon, a red bird filmed in slow motion with a pan',
      'The built-in engine won\'t draw "zig", "zag", "zug", "zog", "zeg", "zyg" or 8 more words. ' +
        'It will draw a bird in red, filmed with slow motion and a pan.',
    ],
    [
      'a city by the sea at night',
      'The built-in engine draws one scene, one subject and one of every other kind, and left out "sea". It will draw a city at night.',
    ],
    ['a dragon at sunrise', 'The built-in engine won\'t draw "dragon". It will draw a landscape at dawn.'],
  ])('the warning says what will be drawn and what will not: %s', (prompt, message) => {
    expect(promptWarning('text_to_video', prompt)).toEqual({ code: 'prompt_not_understood', param: 'prompt', message });
  });

  it.each([
    ['two people talking in a cafe', ['two', 'talking', 'cafe']],
    ['three red boats on a lake', ['three']],
    ['a couple on the beach', ['couple']],
    ['a couple of boats', ['couple']],
    ['hundreds of balloons over the desert', ['hundreds']],
    ['2 people dancing', ['2', 'dancing']],
    ['a man sitting by the sea', ['sitting']],
    ['a hiker stands on a summit', ['stands']],
    ['a cat dances in the forest', ['dances']],
    ['a cat runs in the rain', ['runs']],
    ['a horse walking in the desert', ['walking']],
    ['a ship crashes into an island', ['crashes']],
    ['an astronaut floating in space', ['floating']],
    ['a dragon over a castle', ['dragon']],
    ['a castle in space', ['castle']],
    ['a market at night', ['market']],
    ['a park in autumn', ['park']],
    ['coffee by the sea', ['coffee']],
    ['rain on a window', ['window']],
    ['a boat on a stream', ['stream']],
  ])('the warning names the words, numbers and verbs that are dropped: %s', (prompt, dropped) => {
    const named = [...(ofText(prompt)?.matchAll(/"([^"]+)"/g) ?? [])].map(([, word]) => word);
    expect(named).toEqual(dropped);
  });

  it.each([
    'a train passes through the mountains',
    'a robot dancing in neon Tokyo',
    'a cat sleeping on a roof',
    'a dog trots along the beach, wagging',
    'a horse galloping through the desert',
    'a train rides across a valley',
    'a boat drifts on a pond',
    'a red boat floating on a lake',
    'birds fly over the city',
    'many birds circle over the sea',
    'an eagle soars, the sun rises over mountains',
    'a car drives along the coast under drifting clouds',
    'a balloon rises over the desert, a few clouds',
    'a man walks through falling leaves',
    'fish swimming over a reef',
    'waves crash on rocks at sunset',
    'northern lights dance over a lake',
    'a lighthouse stands by the sea',
    'the camera flies over a forest',
    '24 fps, 16:9, boats at dusk',
    'a boat by the sea, not dancing',
  ])('verbs that the drawing fulfils, and numbers that count nothing, get no warning: %s', (prompt) => {
    expect(ofText(prompt)).toBeNull();
  });

  it('a prompt of which nothing is understood gets a warning that lists known scenes', () => {
    const knows =
      'so it will draw an abstract picture. It reads English and knows scenes such as mountains, sea, forest, city, ' +
      'desert and space.';
    expect(ofText('一只猫')).toBe(`The built-in engine doesn't know "一只猫", ${knows}`);
    expect(ofText('a unicorn and a piano')).toBe(`The built-in engine doesn't know "unicorn" or "piano", ${knows}`);
    expect(ofText('🎬')).toBe(`The built-in engine found no English word that it knows, ${knows}`);
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
    expect(ofImage('zoom in on the clockwork dragon')).toBeNull();
    expect(ofImage('the camera moves in')).toBeNull();
  });

  it('a prompt for an image gets a warning if it names no camera move, because nothing else moves', () => {
    expect(ofImage('the boat sails away')).toContain('no camera move');
  });
});
