import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { comfyTemplate } from './comfyui-protocol.ts';
import type { Protocol } from './mutation.ts';
import { servedModel } from './openai-videos-protocol.ts';

/** What every model of the proof renders and delivers: a second of 480p, square, so that a good file needs no second encoding. */
export const videoShape = { width: 480, height: 480, fps: 16, frameCount: 16 };

/** Engines with one slot need many endpoints, or a case that waits for a time limit keeps all others waiting. */
const endpointsOf: Record<Protocol, number> = {
  animatic: 3,
  cog: 8,
  sglang: 8,
  'vllm-omni': 8,
  fastvideo: 8,
  comfyui: 8,
};

export function modelOf(protocol: Protocol): string {
  return `hostile-${protocol}`;
}

/** Writes a models file whose pools all lead to the hostile server; answers its path. JSON is YAML. */
export async function writeModelsFile(
  folder: string,
  protocols: readonly Protocol[],
  urlOf: (protocol: Protocol, index: number) => string,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'text.json'), comfyTemplate(false));
  await writeFile(join(folder, 'image.json'), comfyTemplate(true));
  const path = join(folder, 'models.yaml');
  const file = {
    models: protocols.map((protocol) => ({
      id: modelOf(protocol),
      pool: modelOf(protocol),
      types: ['text_to_video', 'image_to_video'],
      resolutions: ['480p'],
      aspect_ratios: ['1:1'],
      durations: { min: 1, max: 1 },
      fps: videoShape.fps,
      grid: 16,
    })),
    pools: protocols.map((protocol) => ({
      id: modelOf(protocol),
      ...kindOf(protocol),
      endpoints: Array.from({ length: endpointsOf[protocol] }, (_, index) => ({
        id: `${protocol}-${index}`,
        url: urlOf(protocol, index),
      })),
    })),
    allow_gaps: true,
  };
  await writeFile(path, JSON.stringify(file, null, 2));
  return path;
}

function kindOf(protocol: Protocol): Record<string, unknown> {
  switch (protocol) {
    case 'animatic':
    case 'cog':
      return { engine: protocol };
    case 'comfyui':
      return { engine: protocol, templates: { text_to_video: 'text.json', image_to_video: 'image.json' } };
    default:
      return { engine: 'openai-videos', dialect: protocol, model: servedModel };
  }
}
