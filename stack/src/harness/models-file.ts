import { writeFile } from 'node:fs/promises';

/** The fields of a models file that tests set; the server checks the rest. */
export interface ModelsFile {
  models: { id: string; pool?: string; [field: string]: unknown }[];
  pools: { id: string; engine: string; endpoints: { id: string; url: string }[]; [field: string]: unknown }[];
  allow_gaps?: boolean;
}

/** The abilities that a model needs for the smallest video. */
export const smallestModel = {
  types: ['text_to_video'],
  resolutions: ['480p'],
  aspect_ratios: ['1:1'],
  durations: { min: 1, max: 1 },
  fps: 16,
};
/** The size and length of the smallest video. */
export const smallestShape = { width: 480, height: 480, fps: 16, frameCount: 16 };

/** Writes a models file and returns its path. It writes JSON, which is valid YAML, with one field per line. */
export async function writeModelsFile(path: string, file: ModelsFile): Promise<string> {
  await writeFile(path, `${JSON.stringify(file, null, 2)}\n`);
  return path;
}
