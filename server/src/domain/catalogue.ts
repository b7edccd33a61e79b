import { aspectRatios, type GenerationType, resolutions } from './generation-request.ts';
import { animatic, type Combination, type Model, unsupportedBy } from './model.ts';

/** The models in the operator's order. A request that names none gets the first that supports it. */
export interface Catalogue {
  models: readonly Model[];
  /** Models removed from the configuration while this process ran: not offered, but tasks that name them continue. */
  retired?: readonly Model[] | undefined;
}

/** The catalogue of an installation without a models file. */
export const builtInCatalogue: Catalogue = { models: [animatic] };

/** Returns the model with this id or alias, or null. */
export function findModel({ models }: Catalogue, name: string): Model | null {
  return models.find(({ id }) => id === name) ?? models.find(({ aliases }) => aliases.includes(name)) ?? null;
}

/** Returns the model of an existing task even if it is no longer offered, or null if this process never knew it. */
export function modelOfTask({ models, retired = [] }: Catalogue, id: string): Model | null {
  return [...models, ...retired, animatic].find((model) => model.id === id) ?? null;
}

/** Returns the first enabled model that supports a combination, or null. */
export function chooseModel({ models }: Catalogue, combination: Combination): Model | null {
  return models.find((model) => model.isEnabled && unsupportedBy(model, combination).length === 0) ?? null;
}

const types: readonly GenerationType[] = ['text_to_video', 'image_to_video'];
const durations = Array.from({ length: 10 }, (_, index) => index + 1);

/** The combinations that no model supports. An installation without gaps serves all that the contract allows. */
export function gapsOf(catalogue: Catalogue): Combination[] {
  return types.flatMap((type) =>
    resolutions.flatMap((resolution) =>
      aspectRatios.flatMap((aspectRatio) =>
        durations
          .map((durationSeconds) => ({ type, resolution, aspectRatio, durationSeconds }))
          .filter((combination) => chooseModel(catalogue, combination) === null),
      ),
    ),
  );
}
