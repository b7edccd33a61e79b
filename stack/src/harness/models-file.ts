import { writeFile } from 'node:fs/promises';

/** A models file as far as tests say anything of it; the server checks the rest. */
export interface ModelsFile {
  models: { id: string; pool?: string; [field: string]: unknown }[];
  pools: { id: string; engine: string; endpoints: { id: string; url: string }[]; [field: string]: unknown }[];
  allow_gaps?: boolean;
}

/** What a model must be able to do for the smallest video, and what comes out. */
export const smallestModel = {
  types: ['text_to_video'],
  resolutions: ['480p'],
  aspect_ratios: ['1:1'],
  durations: { min: 1, max: 1 },
  fps: 16,
};
export const smallestShape = { width: 480, height: 480, fps: 16, frameCount: 16 };

/** Writes a models file and returns its path. JSON is YAML, and has a line for every field. */
export async function writeModelsFile(path: string, file: ModelsFile): Promise<string> {
  await writeFile(path, `${JSON.stringify(file, null, 2)}\n`);
  return path;
}
