import { smallestModel, smallestShape, writeModelsFile } from '@kinora/stack/harness/models-file';
import { sampleImage } from '@kinora/stack/harness/sample-image';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';

type ModelName = keyof typeof models;

/**
 * One model with few steps, and one that takes long enough to be disrupted in the middle: about 5 s on a fast machine.
 * With 128x128 it took 2 s there, and could end before its cancel. 200 steps are the most that the predictor takes.
 */
const models = {
  'wan-short': { canvas: '64x64', steps: 4 },
  'wan-long': { canvas: '224x224', steps: 200 },
} as const;

/** Everything that determines the frames of a video in this proof. */
export interface Recipe {
  model: ModelName;
  seed: number;
  /** The number of the input image; absent for text to video. */
  image?: number;
}

/** Returns the request of a recipe. */
export function requestOf({ model, seed, image }: Recipe): Record<string, unknown> {
  const fields = { prompt: 'A lighthouse at dusk', model, seed, ...smallestVideo };
  return image === undefined ? fields : { ...fields, image_url: sampleImage(image) };
}

export function wantedOf({ model }: Recipe) {
  return { ...smallestShape, rendered: models[model].canvas };
}

/** Writes a models file with one Cog server behind both models. */
export function writeDiffusionModels(path: string, cogUrl: string): Promise<string> {
  return writeModelsFile(path, {
    models: [
      ...Object.entries(models).map(([id, { canvas, steps }]) => ({
        id,
        pool: 'wan',
        ...smallestModel,
        types: ['text_to_video', 'image_to_video'],
        grid: 16,
        canvases: { '480x480': canvas },
        frame_step: 4,
        negative_prompt: true,
        parameters: { num_inference_steps: steps },
      })),
      { id: 'animatic' },
    ],
    pools: [{ id: 'wan', engine: 'cog', endpoints: [{ id: 'cog-1', url: cogUrl }] }],
  });
}
