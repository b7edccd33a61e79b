import { randomFor } from '@kinora/stack/harness/seeded-random';
import { describe } from 'vitest';
import { engineContract } from '../engine.contract.ts';
import type { RenderRequest } from '../engine.ts';
import { createComfyEngine } from './comfyui-engine.ts';
import { readTemplate, request } from './comfyui-template.fixture.ts';

const url = process.env['KINORA_LIVE_COMFYUI_URL'] ?? '';

const random = randomFor('seeds of ComfyUI jobs');
// A new seed for each job: ComfyUI would take what it has computed before from its cache.
const withNewSeed = (overrides: Partial<RenderRequest> = {}) => request({ seed: random.below(2 ** 32), ...overrides });

describe.skipIf(url === '')('the ComfyUI server at KINORA_LIVE_COMFYUI_URL, skipped if that is not set', () => {
  engineContract('comfyui', async () => {
    const templates = { textToVideo: readTemplate('weight-free'), imageToVideo: null };
    const engine = createComfyEngine({ url, token: null, slots: 1, templates });
    const unreachable = createComfyEngine({ url: 'http://127.0.0.1:9', token: null, slots: 1, templates });
    return {
      engine,
      unreachable,
      request: withNewSeed,
      // Ten nodes that each take well below a second, so that a cancel reaches the end of one in time.
      longRequest: () => withNewSeed({ width: 256, height: 256, frameCount: 64 }),
      capabilities: {
        cancelStops: true,
        remembersCancels: false,
        reportsProgress: true,
        refusesWhenBusy: false,
        ignoresRepeats: true,
      },
      async teardown() {
        await Promise.all([engine.close(), unreachable.close()]);
      },
    };
  });
});
