import { type Experimental_VideoModelV4, NoSuchModelError, type ProviderV4 } from '@ai-sdk/provider';
import { createVideoModel, type KinoraVideoModelId } from './kinora-video-model.ts';
import type { KinoraProviderSettings } from './settings.ts';
import { defaultModelId } from './video-request.ts';

/** A Kinora service as an AI SDK provider. It has video models only. */
export interface KinoraProvider extends ProviderV4 {
  /** Returns a video model. Without an id, the service uses its first model that supports the request. */
  video(modelId?: KinoraVideoModelId): Required<Experimental_VideoModelV4>;
  /** Same as `video`; provider registries use this name. */
  videoModel(modelId?: KinoraVideoModelId): Required<Experimental_VideoModelV4>;
}

/** Creates a provider. It reads the key and the address at the first call, so that creating it never throws. */
export function createKinora(settings: KinoraProviderSettings = {}): KinoraProvider {
  const video = (modelId: KinoraVideoModelId = defaultModelId) => createVideoModel(modelId, settings);
  const none = (modelType: 'languageModel' | 'embeddingModel' | 'imageModel') => (modelId: string) => {
    throw new NoSuchModelError({ modelId, modelType, message: 'Kinora has video models only: use video(modelId).' });
  };
  return {
    specificationVersion: 'v4',
    video,
    videoModel: video,
    languageModel: none('languageModel'),
    embeddingModel: none('embeddingModel'),
    imageModel: none('imageModel'),
  };
}

/** The provider that reads its key and address from KINORA_API_KEY and KINORA_BASE_URL. */
export const kinora: KinoraProvider = createKinora();
