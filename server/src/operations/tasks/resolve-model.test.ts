import { describe, expect, it } from 'vitest';
import { animatic, type Combination, type Model } from '../../domain/model.ts';
import { AppError } from '../../errors.ts';
import { resolveModel } from './resolve-model.ts';

const wan: Model = { ...animatic, id: 'wan', aliases: ['sora-2'], types: ['text_to_video'], resolutions: ['720p'] };
const off: Model = { ...wan, id: 'off', aliases: [], isEnabled: false };
const catalogue = { models: [off, wan, animatic], retired: [{ ...wan, id: 'old' }] };
const combination: Combination = { type: 'text_to_video', resolution: '720p', aspectRatio: '16:9', durationSeconds: 5 };

function refusal(name: string | null, requested: Combination, models: readonly Model[] = catalogue.models) {
  try {
    resolveModel({ ...catalogue, models }, name, requested);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the model was resolved');
}

describe('the model of a request', () => {
  it('the model is the named one, by its id or an alias, or the first that supports the request', () => {
    expect(resolveModel(catalogue, 'sora-2', combination).id).toBe('wan');
    expect(resolveModel(catalogue, 'animatic', combination).id).toBe('animatic');
    expect(resolveModel(catalogue, null, combination).id).toBe('wan');
    expect(resolveModel(catalogue, null, { ...combination, resolution: '480p' }).id).toBe('animatic');
  });

  it('the error lists everything that the named model does not support, and what it does support', () => {
    const { code, param, details } = refusal('wan', { ...combination, type: 'image_to_video', resolution: '480p' });
    expect([code, param]).toEqual(['unsupported_combination', 'type']);
    expect(details).toMatchObject([
      {
        param: 'type',
        allowed: ['text_to_video'],
        message: 'The model wan does not support this operation; it supports text_to_video.',
      },
      { param: 'resolution', allowed: ['720p'] },
    ]);
  });

  it('a model that is disabled, unknown or retired is refused, and so is a request that no model supports', () => {
    expect(refusal('off', combination).code).toBe('no_engine_available');
    expect(refusal('nothing', combination).code).toBe('unknown_model');
    expect(refusal('old', combination).code).toBe('unknown_model');
    expect(refusal(null, { ...combination, resolution: '480p' }, [wan]).code).toBe('unsupported_combination');
  });
});
