import { expect, it } from 'vitest';
import { builtInCatalogue, chooseModel, findModel, gapsOf, modelOfTask } from './catalogue.ts';
import { animatic, type Model } from './model.ts';

const wan: Model = { ...animatic, id: 'wan', aliases: ['sora-2'], resolutions: ['720p'], longestSeconds: 5 };
const combination = { type: 'text_to_video', resolution: '720p', aspectRatio: '16:9', durationSeconds: 5 } as const;

it('the first model in order that supports a request serves it, and a disabled model never does', () => {
  expect(chooseModel({ models: [wan, animatic] }, combination)?.id).toBe('wan');
  expect(chooseModel({ models: [wan, animatic] }, { ...combination, durationSeconds: 6 })?.id).toBe('animatic');
  expect(chooseModel({ models: [{ ...wan, isEnabled: false }, animatic] }, combination)?.id).toBe('animatic');
  expect(chooseModel({ models: [wan] }, { ...combination, resolution: '480p' })).toBeNull();
});

it('a model is found by id and by alias, and a retired model only for tasks that name it', () => {
  const catalogue = { models: [wan], retired: [{ ...wan, id: 'ltx', aliases: ['old'] }] };
  expect(findModel(catalogue, 'sora-2')?.id).toBe('wan');
  expect(findModel(catalogue, 'ltx')).toBeNull();
  expect(modelOfTask(catalogue, 'ltx')?.id).toBe('ltx');
  expect(modelOfTask(catalogue, 'animatic')).toBe(animatic);
  expect(modelOfTask(catalogue, 'never')).toBeNull();
});

it('the built-in engine alone leaves no gap, and each combination that no model supports is a gap', () => {
  expect(gapsOf(builtInCatalogue)).toEqual([]);
  expect(gapsOf({ models: [wan, animatic] })).toEqual([]);
  // 2 types × (2 other resolutions × 6 ratios × 10 durations + 6 ratios × 5 durations)
  expect(gapsOf({ models: [wan] })).toHaveLength(300);
  expect(gapsOf({ models: [] })).toHaveLength(360);
});
