import type { GenerationRequest } from './generation-request.ts';

/** What the simplest caller sends. Tests override the fields that they are about. */
export const plainGeneration: GenerationRequest = {
  prompt: 'a lighthouse at dusk',
  negativePrompt: null,
  imageUrl: null,
  resolution: '480p',
  aspectRatio: '16:9',
  durationSeconds: 1,
  seed: null,
  model: null,
  imageFit: 'crop',
  metadata: {},
  callbackUrl: null,
  callbackEvents: null,
};
