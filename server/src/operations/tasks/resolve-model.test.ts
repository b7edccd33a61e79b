import { describe, expect, it } from 'vitest';
import { animatic, type Combination, type Model } from '../../domain/model.ts';
import { AppError } from '../../errors.ts';
import { resolveModel } from './resolve-model.ts';

const wan: Model = { ...animatic, id: 'wan', aliases: ['sora-2'], types: ['text_to_video'], resolutions: ['720p'] };
const off: Model = { ...wan, id: 'off', aliases: [], isEnabled: false };
const catalogue = { models: [off, wan, animatic], retired: [{ ...wan, id: 'old' }] };
const combination: Combination = { type: 'text_to_video', resolution: '720p', aspectRatio: '16:9', durationSeconds: 5 };

function refusal(name: string | null, asked: Combination, models: readonly Model[] = catalogue.models) {
  try {
    resolveModel({ ...catalogue, models }, name, asked);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('it was resolved');
}

describe('the model of a request', () => {
  it('is the named one under its real id, or the first that can do it', () => {
    expect(resolveModel(catalogue, 'sora-2', combination).id).toBe('wan');
    expect(resolveModel(catalogue, 'animatic', combination).id).toBe('animatic');
    expect(resolveModel(catalogue, null, combination).id).toBe('wan');
    expect(resolveModel(catalogue, null, { ...combination, resolution: '480p' }).id).toBe('animatic');
  });

  it('is refused with all that the named one cannot do, and what it can', () => {
    const { code, param, details } = refusal('wan', { ...combination, type: 'image_to_video', resolution: '480p' });
    expect([code, param]).toEqual(['unsupported_combination', 'type']);
    expect(details).toMatchObject([
      {
        param: 'type',
        allowed: ['text_to_video'],
        message: 'The model wan cannot do this operation; it does text_to_video.',
      },
      { param: 'resolution', allowed: ['720p'] },
    ]);
  });

  it('is refused where it is disabled, unknown or no longer offered, and where nothing can do it', () => {
    expect(refusal('off', combination).code).toBe('no_engine_available');
    expect(refusal('nothing', combination).code).toBe('unknown_model');
    expect(refusal('old', combination).code).toBe('unknown_model');
    expect(refusal(null, { ...combination, resolution: '480p' }, [wan]).code).toBe('unsupported_combination');
  });
});
