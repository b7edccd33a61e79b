import { type Catalogue, chooseModel } from '../../domain/catalogue.ts';
import { requestDefaults } from '../../domain/generation-request.ts';
import type { Model } from '../../domain/model.ts';
import type { KnownSpeeds } from '../../operations/queue/known-speeds.ts';
import type { PublicModel } from '../schemas/model-schema.ts';

interface Context {
  catalogue: Catalogue;
  acceptingPools: ReadonlySet<string>;
  speeds: Pick<KnownSpeeds, 'of'>;
}

/** Returns a model as callers see it, without its endpoints and the parameters of its engine. */
export function presentModel(model: Model, { catalogue, acceptingPools, speeds }: Context): PublicModel {
  const { price } = model;
  return {
    id: model.id,
    object: 'model',
    created: 0,
    owned_by: 'kinora',
    name: model.name,
    description: model.description,
    aliases: [...model.aliases],
    available: model.isEnabled && acceptingPools.has(model.pool),
    is_default: chooseModel(catalogue, { type: 'text_to_video', ...requestDefaults })?.id === model.id,
    capabilities: {
      types: [...model.types],
      resolutions: [...model.resolutions],
      aspect_ratios: [...model.aspectRatios],
      durations: { min: model.shortestSeconds, max: model.longestSeconds },
      fps: model.fps,
      negative_prompt: model.usesNegativePrompt,
    },
    price: price && { currency: price.currency, per_second: { ...price.perSecond } },
    speeds: speeds
      .of(model.id)
      .map((speed) => ({
        resolution: speed.resolution,
        duration: speed.durationSeconds,
        p50_seconds: tenths(speed.totalP50Seconds),
        p90_seconds: tenths(speed.totalP90Seconds),
        samples: speed.samples,
      }))
      .toSorted(
        (one, other) =>
          model.resolutions.indexOf(one.resolution) - model.resolutions.indexOf(other.resolution) ||
          one.duration - other.duration,
      ),
  };
}

function tenths(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
