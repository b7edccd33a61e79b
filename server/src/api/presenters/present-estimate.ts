import type { GenerationRequest, GenerationType, Warning } from '../../domain/generation-request.ts';
import type { Model } from '../../domain/model.ts';
import type { Amount } from '../../domain/price.ts';
import { sizeOf } from '../../domain/size.ts';
import type { PublicEstimate } from '../schemas/estimate-schema.ts';

/** Returns the request as a create would resolve it, as far as that is known without the image. */
export function presentEstimate(
  type: GenerationType,
  model: Model,
  request: GenerationRequest,
  warnings: readonly Warning[],
  { price, expectedSeconds }: { price: Amount | null; expectedSeconds: number | null },
): PublicEstimate {
  const { resolution, aspectRatio, durationSeconds } = request;
  const size = aspectRatio && sizeOf(resolution, aspectRatio);
  return {
    object: 'video.estimate',
    type,
    request: {
      model: model.id,
      prompt: request.prompt,
      negative_prompt: request.negativePrompt,
      resolution,
      aspect_ratio: aspectRatio,
      duration: durationSeconds,
      seed: request.seed,
      seconds: String(durationSeconds),
      size: size && `${size.width}x${size.height}`,
      image_fit: type === 'image_to_video' ? request.imageFit : null,
      metadata: { ...request.metadata },
    },
    warnings: warnings.map(({ code, param, message }) => ({ code, param, message })),
    price,
    expected_seconds: expectedSeconds,
  };
}
