import { join } from 'node:path';
import { smallestModel, writeModelsFile } from '@kinora/stack/harness/models-file';
import type { Stack } from '@kinora/stack/parts/stack';

/** A pool of three built-in engines, so that the workers share endpoints and a lost engine is not the only one. */
export const northEndpoints = ['north-1', 'north-2', 'north-3'];
export const northModel = 'north';
export const slotsPerEndpoint = 2;

/** Returns the variables of one of the engines, which listen on consecutive ports. */
export function northEngine(firstPort: number, copy: number): Record<string, string> {
  return { KINORA_ANIMATIC_PORT: String(firstPort + copy), KINORA_ANIMATIC_SLOTS: String(slotsPerEndpoint) };
}

/** Writes a models file with this pool and one model, and returns the settings of the server. */
export async function northSettings({ info }: Stack, firstPort: number): Promise<Record<string, string>> {
  const abilities = { types: ['text_to_video', 'image_to_video'], aspect_ratios: ['1:1', '16:9'] };
  const path = await writeModelsFile(join(info.folder, 'models.yaml'), {
    models: [{ id: northModel, pool: 'north', ...smallestModel, ...abilities, durations: { min: 1, max: 8 } }],
    pools: [
      {
        id: 'north',
        engine: 'animatic',
        endpoints: northEndpoints.map((id, copy) => ({ id, url: `http://127.0.0.1:${firstPort + copy}` })),
      },
    ],
    allow_gaps: true,
  });
  return { KINORA_MODELS_FILE: path, KINORA_ANIMATIC_URL: `http://127.0.0.1:${firstPort}` };
}
