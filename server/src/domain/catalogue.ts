import { aspectRatios, type GenerationType, resolutions } from './generation-request.ts';
import { animatic, type Combination, type Model, unsupportedBy } from './model.ts';

/** The models of the installation, in the operator's order: the first that can do a request serves it when none is named. */
export interface Catalogue {
  models: readonly Model[];
  /** Those that have left the configuration while this process ran: not offered, but tasks that name them go on. */
  retired?: readonly Model[] | undefined;
}

/** What holds without a models file. */
export const builtInCatalogue: Catalogue = { models: [animatic] };

/** The model of an id or an alias; null where there is none. */
export function findModel({ models }: Catalogue, name: string): Model | null {
  return models.find(({ id }) => id === name) ?? models.find(({ aliases }) => aliases.includes(name)) ?? null;
}

/** The model of a task that exists, also where it is not offered any more; null where this process never knew it. */
export function modelOfTask({ models, retired = [] }: Catalogue, id: string): Model | null {
  return [...models, ...retired, animatic].find((model) => model.id === id) ?? null;
}

/** The first model that can do a combination; null where none can. */
export function chooseModel({ models }: Catalogue, combination: Combination): Model | null {
  return models.find((model) => model.isEnabled && unsupportedBy(model, combination).length === 0) ?? null;
}

const types: readonly GenerationType[] = ['text_to_video', 'image_to_video'];
const durations = Array.from({ length: 10 }, (_, index) => index + 1);

/** Every combination that no model can do: an installation without gaps serves whatever the contract allows. */
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
