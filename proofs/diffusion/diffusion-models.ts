import { smallestModel, smallestShape, writeModelsFile } from '@kinora/stack/harness/models-file';
import { sampleImage } from '@kinora/stack/harness/sample-image';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';

type ModelName = keyof typeof models;

/** A few steps, or so many that there is time to do something meanwhile. Both are rendered on a canvas that a CPU can do. */
const models = {
  'wan-short': { canvas: '64x64', steps: 4 },
  'wan-long': { canvas: '128x128', steps: 200 },
} as const;

/** All that decides the frames of a video here. */
export interface Recipe {
  model: ModelName;
  seed: number;
  /** The number of the image; text to video without. */
  image?: number;
}

/** What is asked for, and what must come out. */
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
