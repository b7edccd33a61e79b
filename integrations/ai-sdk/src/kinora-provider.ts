import { type Experimental_VideoModelV4, NoSuchModelError, type ProviderV4 } from '@ai-sdk/provider';
import { createVideoModel, type KinoraVideoModelId } from './kinora-video-model.ts';
import type { KinoraProviderSettings } from './settings.ts';
import { defaultModelId } from './video-request.ts';

/** A Kinora service as a provider of the AI SDK. It has videos and nothing else. */
export interface KinoraProvider extends ProviderV4 {
  /** A video model; without an id the service chooses the first of its models that can do the request. */
  video(modelId?: KinoraVideoModelId): Required<Experimental_VideoModelV4>;
  /** The same, under the name that provider registries use. */
  videoModel(modelId?: KinoraVideoModelId): Required<Experimental_VideoModelV4>;
}

/** Makes a provider. Key and address are read at the first call. */
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

/** The provider with the key and the address of the environment: KINORA_API_KEY and KINORA_BASE_URL. */
export const kinora: KinoraProvider = createKinora();
