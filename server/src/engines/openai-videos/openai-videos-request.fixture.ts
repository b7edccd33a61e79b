import { randomUUID } from 'node:crypto';
import type { RenderRequest } from '../engine.ts';

/** The parameters that a server with the tiny checkpoint needs on a CPU. */
export const onCpu = { num_inference_steps: 4, generator_device: 'cpu' };

/** Returns a job of well below a second on the tiny checkpoint, under a new id each time. */
export function tinyRequest(overrides: Partial<RenderRequest> = {}): RenderRequest {
  return {
    jobId: randomUUID(),
    prompt: 'a cat runs in the rain',
    negativePrompt: null,
    seed: 42,
    width: 64,
    height: 64,
    fps: 16,
    frameCount: 17,
    image: null,
    parameters: onCpu,
    ...overrides,
  };
}
