import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPrompt } from './read-prompt.ts';
import type { PromptReading } from './storyboard.ts';
import { hints, landmarks, vocabulary } from './vocabulary.ts';

const nothing: PromptReading = {
  scene: null,
  time: null,
  weather: null,
  season: null,
  subject: null,
  action: null,
  features: [],
  colours: [],
  cameraMoves: [],
  directions: {},
  ruledOut: { scenes: [], times: [], weathers: [], seasons: [] },
  notUnderstood: [],
  furtherNotUnderstood: 0,
  leftOut: [],
};
const without = (ruledOut: Partial<PromptReading['ruledOut']>) => ({ ...nothing.ruledOut, ...ruledOut });

/** What prompts are read as, by what they show. */
const readings: Record<string, [prompt: string, reading: Partial<PromptReading>][]> = {
  'every part of a prompt is read': [
    [
      'A paper boat drifts down a rain-soaked street',
      { scene: 'city', weather: 'rain', subject: 'boat', features: ['paperBoat'] },
    ],
    ['MOUNTAINS AT DAWN!!!', { scene: 'mountains', time: 'dawn' }],
    ['a red car on a desert road at noon', { scene: 'desert', time: 'day', subject: 'car', colours: ['red'] }],
    ['Cinematic 4k drone shot of a misty forest', { scene: 'forest', weather: 'fog', cameraMoves: ['aerial'] }],
    ['a street of a small town', { scene: 'town' }],
    ['winter village, snowing, warm light', { scene: 'town', weather: 'snow', season: 'winter' }],
    ['whales in teal and violet water', { scene: 'sea', subject: 'fish', colours: ['teal', 'purple'] }],
    ['abstract shapes in gold', { scene: 'abstract', colours: ['yellow'] }],
    ['the moonlit skyline of New York', { scene: 'city', time: 'night' }],
    ['a train crosses the valley in spring', { scene: 'mountains', season: 'spring', subject: 'train' }],
    ['cities and ferries and galaxies', { scene: 'city', subject: 'boat', leftOut: ['galaxies'] }],
    ['', {}],
    ['a beautiful video of something', {}],
    ['🎬🎬 🚀', {}],
  ],
  'features are drawn where a scene can have them, and choose the scene of a prompt that names none': [
    ['a lighthouse', { scene: 'sea', features: ['lighthouse'] }],
    ['a castle', { scene: 'mountains', features: ['castle'] }],
    ['a castle and the surf', { scene: 'sea', features: ['castle'] }],
    ['rocks', { scene: 'mountains', features: ['rocks'] }],
    ['rocks and breaking waves', { scene: 'sea', features: ['rocks', 'breakers'] }],
    ['neon in an alley', { scene: 'city', time: 'night', features: ['neon'] }],
    ['a castle in a forest', { scene: 'forest', notUnderstood: ['castle'] }],
    ['a fish by a lighthouse', { scene: 'sea', subject: 'fish', notUnderstood: ['lighthouse'] }],
    ['a car and a paper boat', { subject: 'car', leftOut: ['paper boat'] }],
  ],
  'the longest phrase wins and uses up its words': [
    ['hot air balloons at golden hour', { subject: 'balloon', time: 'dusk' }],
    ['seagulls', { subject: 'bird' }],
    ['the Milky Way', { weather: 'stars' }],
    ['Northern Lights', { weather: 'aurora' }],
    ["a bird's-eye view, in slow motion", { cameraMoves: ['aerial', 'slowMotion'] }],
    ['a birds’ eye view; slow-mo', { cameraMoves: ['aerial', 'slowMotion'] }],
    ['close-ups and a close up', { cameraMoves: ['closeUp'] }],
    ['space shuttle', { subject: 'rocket' }],
    ['lots of negative space around a boat', { subject: 'boat' }],
    ['hot, air balloon', { season: 'summer', subject: 'balloon' }],
    ['starfish, carpets, training, seasick', { notUnderstood: ['starfish', 'carpets', 'training', 'seasick'] }],
  ],
  'the animals and the robot are known by the words people use for them': [
    ['a cat playing piano', { subject: 'cat', notUnderstood: ['playing', 'piano'] }],
    ['two kittens', { subject: 'cat', notUnderstood: ['two'] }],
    ['a ginger cat in an alley', { subject: 'cat', scene: 'city', colours: ['orange'] }],
    ['an alley cat', { subject: 'cat', scene: 'city' }],
    ['Puppies on a beach', { subject: 'dog', scene: 'sea' }],
    ['a golden retriever', { subject: 'dog', colours: ['yellow'] }],
    ['a grey husky, a gray one', { subject: 'dog', colours: ['grey'] }],
    ['a hot dog', { scene: 'city', notUnderstood: ['hot', 'dog'] }],
    ['wild ponies gallop through the desert', { subject: 'horse', scene: 'desert' }],
    ['a bay horse by the bay', { subject: 'horse', scene: 'sea', colours: ['brown'] }],
    ['a sea horse', { scene: 'sea', notUnderstood: ['sea', 'horse'] }],
    [
      'a robot dancing in neon Tokyo',
      { subject: 'robot', action: 'dance', scene: 'city', time: 'night', features: ['neon'] },
    ],
    ['a humanoid robot and an android', { subject: 'robot' }],
    ['a robot and its dog', { subject: 'robot', leftOut: ['dog'] }],
  ],
  'the first action is used, and others, or one that the subject cannot do, are reported': [
    ['a cat sits on a roof', { subject: 'cat', scene: 'city', action: 'sit' }],
    [
      'a black cat sitting, then standing and dancing',
      { subject: 'cat', colours: ['black'], action: 'sit', notUnderstood: ['standing', 'dancing'] },
    ],
    ['a kitten asleep on a roof', { subject: 'cat', scene: 'city', action: 'sleep' }],
    ['a dog napping by the sea', { subject: 'dog', scene: 'sea', action: 'sleep' }],
    ['a lighthouse stands by the sea, a dog runs', { subject: 'dog', scene: 'sea', features: ['lighthouse'] }],
    ['a horse sits', { subject: 'horse', action: 'sit', notUnderstood: ['sits'] }],
    ['horses grazing', { subject: 'horse', action: 'stand' }],
    ['a dog, not sitting', { subject: 'dog' }],
    ['dancing', { action: 'dance' }],
  ],
  'neighbouring words decide the meaning of an ambiguous word': [
    ['leaves fall in a forest', { scene: 'forest' }],
    ['a forest in the fall', { scene: 'forest', season: 'autumn' }],
    ['fall colours on the hills', { scene: 'mountains', season: 'autumn' }],
    ['a crane shot of a crane', { subject: 'bird', cameraMoves: ['tilt'] }],
    ['crane up', { cameraMoves: ['tilt'], directions: { tilt: 'up' } }],
    ['a rose', { notUnderstood: ['rose'] }],
    ['a rose-coloured sea', { scene: 'sea', colours: ['pink'] }],
    ['the sun rose', { time: 'dawn' }],
    ['a hot spring', { scene: 'mountains', notUnderstood: ['hot', 'spring'] }],
    ['a rocket in orbit', { scene: 'space', subject: 'rocket' }],
    ['a probe orbiting a distant blue planet', { scene: 'space', colours: ['blue'], notUnderstood: ['probe'] }],
    ['the camera orbits a planet', { scene: 'space', cameraMoves: ['orbit'] }],
    ['orbit around a ship', { subject: 'boat', cameraMoves: ['orbit'] }],
  ],
  'a negated word is neither used nor reported': [
    ['a sea, no clouds', { scene: 'sea', ruledOut: without({ weathers: ['clouds'] }) }],
    ['a street without people', { scene: 'city' }],
    ['a boat, not at night', { subject: 'boat', ruledOut: without({ times: ['night'] }) }],
    ["don't show any unicorns or clouds, a boat", { subject: 'boat', ruledOut: without({ weathers: ['clouds'] }) }],
    [
      'without a single cloud in the sky a red car',
      { subject: 'car', colours: ['red'], ruledOut: without({ weathers: ['clouds'] }) },
    ],
    ['not a boat but a car', { subject: 'car' }],
    ['no unicorns. A dragon', { notUnderstood: ['dragon'] }],
    ['not only rain', { weather: 'rain' }],
    ['a never-ending desert', { scene: 'desert' }],
    ['no zoom, pan left', { cameraMoves: ['pan'], directions: { pan: 'left' } }],
  ],
  'the first of each kind is used, and further ones are reported as left out': [
    ['a city by the sea', { scene: 'city', leftOut: ['sea'] }],
    ['Boats, cars and Boats', { subject: 'boat', leftOut: ['cars'] }],
    ['fog, then the Northern Lights', { weather: 'fog', leftOut: ['Northern Lights'] }],
    ['clouds, rain and a thunderstorm', { weather: 'storm' }],
    ['a clear starry night', { weather: 'stars', time: 'night' }],
    ['a taxi in the forest', { scene: 'forest', subject: 'car' }],
    ['a taxi', { scene: 'city', subject: 'car' }],
    ['the moon at dusk', { time: 'dusk' }],
    ['a camel', { scene: 'desert', notUnderstood: ['camel'] }],
    ['sailing', { scene: 'sea', subject: 'boat' }],
    ['flying', {}],
  ],
  'the words beside a camera word give its direction': [
    ['pan left', { cameraMoves: ['pan'], directions: { pan: 'left' } }],
    ['panning slowly to the right', { cameraMoves: ['pan'], directions: { pan: 'right' } }],
    ['a pan from left to right', { cameraMoves: ['pan'], directions: { pan: 'right' } }],
    ['zooms out', { cameraMoves: ['zoom'], directions: { zoom: 'out' } }],
    ['zoom in on a boat', { cameraMoves: ['zoom'], directions: { zoom: 'in' }, subject: 'boat' }],
    ['pull back', { cameraMoves: ['dolly'], directions: { dolly: 'out' } }],
    ['pushing in', { cameraMoves: ['dolly'], directions: { dolly: 'in' } }],
    ['a slow upward tilt', { cameraMoves: ['tilt'], directions: { tilt: 'up' } }],
    ['a close-up in the forest', { cameraMoves: ['closeUp'], scene: 'forest' }],
    ['the camera moves slowly to the left', { cameraMoves: ['pan'], directions: { pan: 'left' } }],
    ['The camera slowly moves in', { cameraMoves: ['dolly'], directions: { dolly: 'in' } }],
    ['The camera moves in slowly', { cameraMoves: ['dolly'], directions: { dolly: 'in' } }],
    ['The camera moves in on a boat', { cameraMoves: ['dolly'], directions: { dolly: 'in' }, subject: 'boat' }],
    ['the camera glides into a forest', { cameraMoves: ['dolly'], directions: { dolly: 'in' }, scene: 'forest' }],
    ['the camera moves out of the forest', { cameraMoves: ['dolly'], directions: { dolly: 'out' }, scene: 'forest' }],
    ['a camera in the forest', { scene: 'forest' }],
    ['pan left and zoom out', { cameraMoves: ['pan', 'zoom'], directions: { pan: 'left', zoom: 'out' } }],
    ['pan left, then pan right', { cameraMoves: ['pan'], directions: { pan: 'left' }, leftOut: ['pan right'] }],
    ['dolly left', { cameraMoves: ['dolly'], directions: { dolly: 'left' } }],
    ['a bird flies up and left', { subject: 'bird' }],
  ],
};

describe.each(Object.entries(readings))('%s', (_, cases) => {
  it.each(cases)('%s', (prompt, reading) => {
    expect(readPrompt(prompt)).toEqual({ ...nothing, ...reading });
  });
});

describe('unknown words', () => {
  it('are reported in order, once, and as they were written', () => {
    expect(readPrompt('A Hand-Knitted dragon’s café, HAND-KNITTED dragon’s zebra').notUnderstood).toEqual([
      'Hand-Knitted',
      'dragon’s',
      'café',
      'zebra',
    ]);
  });

  it('are limited to twelve, each cut between characters, and the others are counted', () => {
    const many = readPrompt(Array.from({ length: 40 }, (_, index) => `zorp${'x'.repeat(index)}`).join(' '));
    expect(many.notUnderstood).toHaveLength(12);
    expect(many.furtherNotUnderstood).toBe(28);
    expect(readPrompt(`${'龍'.repeat(30)} ${'𠀀'.repeat(30)}`).notUnderstood).toEqual([
      `${'龍'.repeat(23)}…`,
      `${'𠀀'.repeat(23)}…`,
    ]);
  });

  it.each(['dêsért', 'ＤＥＳＥＲＴ', 'des\u200bert', 'de\u0301sert', 'the desert’s', '"Desert"'])(
    'do not include a known word that differs only in case, accents, width or invisible characters: %s',
    (written) => expect(readPrompt(written)).toEqual({ ...nothing, scene: 'desert' }),
  );
});

describe('whatever the prompt', () => {
  const wording = fc.array(
    fc.oneof(
      fc.constantFrom(
        'no',
        'not',
        'or',
        'the',
        'camera',
        'orbit',
        'left',
        '-',
        ',',
        "'s",
        '[[',
        ']]',
        'fail',
        'sea',
        'boats',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
    ),
    { maxLength: 60 },
  );

  it('the reading is small, storable and always the same', () => {
    fc.assert(
      fc.property(wording, fc.constantFrom('', ' '), (words, between) => {
        const prompt = words.join(between);
        const reading = readPrompt(prompt);
        expect(readPrompt(prompt)).toEqual(reading);
        for (const reported of [reading.notUnderstood, reading.leftOut]) {
          expect(reported.length).toBeLessThanOrEqual(12);
          for (const word of reported) {
            expect([...word].length).toBeLessThanOrEqual(24);
            expect(word).not.toMatch(/[\p{C}\s]{2}|\p{Cc}|\p{Cf}/u);
            expect(word.isWellFormed()).toBe(true);
          }
        }
      }),
    );
  });

  it.each([
    ['words', 'a dragon by the sea '],
    ['one word', 'x'],
    ['hyphens', 'a-'],
    ['camera words', 'orbit camera '],
    ['directives', '[[fail '],
    ['negations', 'no or '],
    ['ligatures that unfold', 'ﷺ '],
    ['accents', 'e\u0301\u0301'],
    ['Chinese', '月光下'],
    ['brackets and blanks', '[[ '],
  ])('reading 100 kB of %s takes less than 100 ms', (_, part) => {
    const prompt = part.repeat(Math.ceil(100_000 / Buffer.byteLength(part)));
    // The CPU time of this thread excludes other processes; the best of four runs excludes compilation.
    const milliseconds = [1, 2, 3, 4].map(() => {
      const before = process.threadCpuUsage();
      readPrompt(prompt);
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1000;
    });
    expect(Math.min(...milliseconds)).toBeLessThan(100);
  });
});

describe('the vocabulary', () => {
  const kinds = Object.entries<Record<string, readonly string[]>>(vocabulary);
  const named = kinds.flatMap(([kind, names]) =>
    Object.entries(names).flatMap(([name, phrases]) => phrases.map((phrase) => ({ kind, name, phrase }))),
  );

  it.each(kinds)('lists each of its %s once', (_, names) => {
    const phrases = Object.values(names).flat();
    expect(phrases.filter((phrase, index) => phrases.indexOf(phrase) !== index)).toEqual([]);
  });

  it('has no word that is read as something else', () => {
    const misread = named.filter(({ kind, name, phrase }) => {
      const reading = readPrompt(phrase);
      const { scene, time, weather, season, subject, action, features, colours, cameraMoves, directions } = reading;
      const read: Record<string, readonly (string | null)[]> = {
        scenes: [scene],
        times: [time],
        weathers: [weather],
        seasons: [season],
        subjects: [subject],
        actions: [action],
        features,
        colours,
        cameraMoves,
        // "Left to right" is a direction only beside a camera word.
        directions: cameraMoves.length > 0 ? Object.values(directions) : [name],
      };
      return !read[kind]?.includes(name) || reading.notUnderstood.length + reading.leftOut.length > 0;
    });
    expect(misread).toEqual([]);
  });

  it('has hints only for its own names, and reports every landmark as not understood', () => {
    const names: Record<string, object> = vocabulary;
    for (const [kind, suggested] of Object.entries(hints))
      expect(Object.keys(names[kind] ?? {})).toEqual(expect.arrayContaining(Object.keys(suggested)));
    const undrawn = Object.entries(landmarks).flatMap(([scene, phrases]) =>
      phrases.map((phrase) => ({ scene, phrase })),
    );
    expect(undrawn.map(({ phrase }) => readPrompt(phrase))).toEqual(
      undrawn.map(({ scene, phrase }) => ({ ...nothing, scene, notUnderstood: phrase.split(' ') })),
    );
  });

  it('is written in lower case and without articles', () => {
    const written = [...named.map(({ phrase }) => phrase), ...Object.values(landmarks).flat()];
    expect(written.filter((phrase) => !/^[a-z]+( [a-z]+)*$/.test(phrase) || /\b(a|an|the)\b/.test(phrase))).toEqual([]);
  });
});
