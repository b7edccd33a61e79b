import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { smallestModel, writeModelsFile } from '@kinora/stack/harness/models-file';
import { sampleImage } from '@kinora/stack/harness/sample-image';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { comfyTemplate } from './comfyui-protocol.ts';
import { type Case, promptOf } from './hostile-case.ts';
import type { Protocol } from './mutation.ts';
import { servedModel } from './openai-videos-protocol.ts';

/** Engines with one slot need many endpoints, because a case that waits for a time limit would delay all others. */
const endpointsOf: Record<Protocol, number> = {
  animatic: 3,
  cog: 8,
  sglang: 8,
  'vllm-omni': 8,
  fastvideo: 8,
  comfyui: 8,
};

function modelOf(protocol: Protocol): string {
  return `hostile-${protocol}`;
}

/** Returns a caller's request. The video is so small that a valid file needs no second encoding. */
export function requestOf(case_: Case): Record<string, unknown> {
  const fields = { prompt: promptOf(case_), model: modelOf(case_.protocol), ...smallestVideo };
  return case_.hasImage ? { ...fields, image_url: sampleImage(case_.number) } : fields;
}

/** Writes a models file whose endpoints are all at the hostile server; returns its path. */
export async function writeHostileModels(
  folder: string,
  protocols: readonly Protocol[],
  urlOf: (protocol: Protocol, index: number) => string,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'text.json'), comfyTemplate(false));
  await writeFile(join(folder, 'image.json'), comfyTemplate(true));
  return writeModelsFile(join(folder, 'models.yaml'), {
    models: protocols.map((protocol) => ({
      id: modelOf(protocol),
      pool: modelOf(protocol),
      ...smallestModel,
      types: ['text_to_video', 'image_to_video'],
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
  });
}

function kindOf(protocol: Protocol) {
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
