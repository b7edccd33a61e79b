import { describe, expect, it } from 'vitest';
import { createDice } from '../dice.ts';
import { decideStoryboard } from './decide-storyboard.ts';
import { readPrompt } from './read-prompt.ts';

const seeds = Array.from({ length: 60 }, (_, seed) => seed);
const decide = (prompt: string, seed: number) => decideStoryboard(readPrompt(prompt), createDice(`${seed}`));
/** Returns every value that one part of the storyboard takes over many seeds. */
const all = (part: 'scene' | 'time' | 'weather' | 'season', prompt: string): string[] =>
  [...new Set(seeds.map((seed) => decide(prompt, seed)[part]))].toSorted((one, other) => one.localeCompare(other));

describe('a storyboard', () => {
  it('has what the prompt names, whatever the seed', () => {
    const prompt = 'zoom out from a red train in the desert at night, in a winter storm';
    for (const seed of seeds)
      expect(decide(prompt, seed)).toEqual({
        scene: 'desert',
        time: 'night',
        weather: 'storm',
        season: 'winter',
        subject: 'train',
        action: null,
        features: [],
        colours: ['red'],
        cameraMoves: ['zoom'],
        directions: { zoom: 'out' },
      });
  });

  it('is the same for the same seed, and varies with the seed', () => {
    expect(decide('mountains', 1)).toEqual(decide('mountains', 1));
    expect(all('time', 'mountains')).toEqual(['dawn', 'day', 'dusk', 'night']);
    expect(all('season', 'mountains').length).toBeGreaterThan(2);
    expect(all('weather', 'mountains').length).toBeGreaterThan(2);
  });

  it.each([
    ['a boat', ['sea']],
    ['fish', ['sea']],
    ['a rocket', ['space']],
    ['a hiker', ['mountains']],
    ['a cat', ['city', 'forest', 'town']],
    ['a dog', ['forest', 'mountains', 'town']],
    ['a horse', ['desert', 'mountains']],
    ['a robot', ['city', 'space']],
    ['autumn', ['forest', 'mountains']],
    ['falling snow', ['forest', 'mountains']],
    ['a sunset', ['desert', 'mountains', 'sea']],
    ['a boat in the desert', ['desert']],
    ['zorp', ['abstract']],
    ['slow zoom, in red', ['abstract']],
  ])('of "%s" has a scene that fits the prompt', (prompt, scenes) => {
    expect(all('scene', prompt)).toEqual(scenes);
  });

  it('is consistent: what the prompt names limits the choices for the rest', () => {
    expect(all('time', 'stars over the sea')).toEqual(['night']);
    expect(all('time', 'an aurora')).toEqual(['night']);
    expect(all('season', 'snow in the forest')).toEqual(['winter']);
    expect(all('weather', 'a forest in winter')).toEqual(['clear', 'clouds', 'snow']);
    expect(all('weather', 'a desert in winter')).not.toContain('snow');
    expect(all('weather', 'a rocket')).toEqual(['clear']);
    expect(all('weather', 'the sea by day')).toEqual(['clear', 'clouds']);
    expect(all('season', 'rain in the city')).not.toContain('winter');
  });

  it('has nothing that the prompt rules out, unless there is no other choice', () => {
    expect(all('weather', 'the sea by day, no clouds')).toEqual(['clear']);
    expect(all('time', 'mountains, not at night')).toEqual(['dawn', 'day', 'dusk']);
    expect(all('scene', 'a car, no desert')).toEqual(['mountains']);
    // If there is no other choice, the prompt's "without" is ignored.
    expect(all('scene', 'a boat without any sea')).toEqual(['sea']);
  });
});
