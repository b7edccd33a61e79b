import { writeFile } from 'node:fs/promises';

export type ModelName = keyof typeof models;

const size = '480x480';
const fps = 16;

/** A few steps, or so many that there is time to do something meanwhile. Both are rendered on a canvas that a CPU can do. */
const models = {
  'wan-short': { canvas: '64x64', steps: 4, seconds: 1 },
  'wan-long': { canvas: '128x128', steps: 200, seconds: 1 },
} as const;

/** What is asked for, and what must come out. */
export function shapeOf(model: ModelName) {
  const { canvas, seconds } = models[model];
  const asked = { model, resolution: '480p', aspect_ratio: '1:1', duration: seconds };
  return { asked, wanted: { width: 480, height: 480, fps, frameCount: seconds * fps, rendered: canvas } };
}

/** Writes a models file with one Cog server behind both models. JSON is YAML. */
export async function writeModelsFile(path: string, cogUrl: string): Promise<string> {
  const file = {
    models: [
      ...Object.entries(models).map(([id, { canvas, steps, seconds }]) => ({
        id,
        pool: 'wan',
        types: ['text_to_video', 'image_to_video'],
        resolutions: ['480p'],
        aspect_ratios: ['1:1'],
        durations: { min: 1, max: seconds },
        fps,
        grid: 16,
        canvases: { [size]: canvas },
        frame_step: 4,
        negative_prompt: true,
        parameters: { num_inference_steps: steps },
      })),
      { id: 'animatic' },
    ],
    pools: [{ id: 'wan', engine: 'cog', endpoints: [{ id: 'cog-1', url: cogUrl }] }],
  };
  await writeFile(path, JSON.stringify(file, null, 2));
  return path;
}
