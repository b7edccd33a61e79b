import type { Model } from '@kinora/sdk';
import { describe, expect, it } from 'vitest';
import { fitToOffer, formOf, offerOf, requestOf, searchOf, seedsOf, shownRatio } from './create-form.ts';
import { readCreateSearch } from './create-search.ts';

const wide: Model = {
  id: 'wide',
  object: 'model',
  created: 0,
  owned_by: 'kinora',
  name: 'Wide',
  description: '',
  aliases: ['old-wide'],
  available: true,
  is_default: true,
  capabilities: {
    types: ['text_to_video'],
    resolutions: ['480p', '720p'],
    aspect_ratios: ['16:9', '21:9'],
    durations: { min: 2, max: 6 },
    fps: 24,
    negative_prompt: true,
  },
  price: null,
  speeds: [],
};
const square: Model = {
  ...wide,
  id: 'square',
  aliases: [],
  capabilities: {
    ...wide.capabilities,
    types: ['image_to_video'],
    resolutions: ['1080p'],
    aspect_ratios: ['1:1'],
    negative_prompt: false,
  },
};
const models = [wide, square];
const form = formOf({}, () => 7);

describe('what the form offers', () => {
  it('is what the chosen model can do, also under an alias', () => {
    expect(offerOf(models, 'square')).toMatchObject({ resolutions: ['1080p'], aspectRatios: ['1:1'] });
    expect(offerOf(models, 'old-wide').types).toEqual(['text_to_video']);
  });

  it('is what any model can do if none is chosen', () => {
    expect(offerOf(models, '')).toEqual({
      types: ['text_to_video', 'image_to_video'],
      resolutions: ['480p', '720p', '1080p'],
      aspectRatios: ['16:9', '21:9', '1:1'],
      shortestSeconds: 2,
      longestSeconds: 6,
      hasNegativePrompt: true,
    });
  });

  it('replaces what the model cannot do by the nearest that it can', () => {
    const unfit = { ...form, resolution: '480p' as const, aspectRatio: '9:16' as const, durationSeconds: 10 };
    expect(fitToOffer(unfit, offerOf(models, 'square'))).toMatchObject({
      resolution: '1080p',
      aspectRatio: null,
      durationSeconds: 6,
    });
  });
});

describe('the ratio of the canvas', () => {
  it('is the chosen one, else the nearest to the image, else 16:9', () => {
    const offer = offerOf(models, '');
    const image = { width: 1000, height: 900 };
    expect(shownRatio({ aspectRatio: '21:9', image: 'file' }, offer, image)).toBe('21:9');
    expect(shownRatio({ aspectRatio: null, image: 'file' }, offer, image)).toBe('1:1');
    expect(shownRatio({ aspectRatio: null, image: null }, offer, null)).toBe('16:9');
  });
});

describe('the request', () => {
  it('has only the fields that mean something', () => {
    expect(requestOf({ ...form, prompt: ' a boat ' }, '16:9', offerOf(models, ''))).toEqual({
      prompt: 'a boat',
      resolution: '720p',
      aspect_ratio: '16:9',
      duration: 5,
      seed: 7,
    });
  });

  it('leaves out a negative prompt that the model cannot use', () => {
    const filled = { ...form, negativePrompt: 'people', image: 'file_1' };
    expect(requestOf(filled, '1:1', offerOf(models, 'square'))).not.toHaveProperty('negative_prompt');
    expect(requestOf(filled, '16:9', offerOf(models, 'wide'))).toMatchObject({
      negative_prompt: 'people',
      image: 'file_1',
      image_fit: 'crop',
    });
  });

  it('takes the seed of the form first and other seeds for the variations', () => {
    let next = 100;
    expect(seedsOf({ seed: 7, count: 3 }, () => next++)).toEqual([7, 100, 101]);
  });
});

describe('the address of the page', () => {
  it('brings back the same form', () => {
    const filled = {
      ...form,
      prompt: 'a "boat"\nat dusk',
      model: 'wide',
      aspectRatio: '21:9' as const,
      durationSeconds: 3,
      isSeedLocked: true,
      image: `file_${'a'.repeat(26)}`,
      imageFit: 'pad' as const,
      count: 4,
    };
    const tasks = [`task_${'b'.repeat(26)}`];
    const search = readCreateSearch({ ...searchOf(filled, tasks) });
    expect(formOf(search, () => 0)).toEqual(filled);
    expect(search.tasks).toEqual(tasks);
  });

  it('is empty for a new form', () => {
    expect(searchOf(form, [])).toEqual({});
  });

  it('ignores what is malformed', () => {
    const malformed = { prompt: {}, resolution: '4k', duration: 'x', seed: -1, image: '/etc', count: 9, tasks: ['x'] };
    expect(readCreateSearch(malformed)).toEqual({});
  });
});
