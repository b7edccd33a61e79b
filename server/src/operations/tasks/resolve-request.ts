import type { Caller } from '../../domain/caller.ts';
import type { Catalogue } from '../../domain/catalogue.ts';
import type { AspectRatio, GenerationRequest, GenerationType, Warning } from '../../domain/generation-request.ts';
import { servingModel } from '../../domain/model.ts';
import { priceOf } from '../../domain/price.ts';
import { random } from '../../domain/random.ts';
import type { TaskImage, TaskRequest } from '../../domain/task.ts';
import { resolveModel } from './resolve-model.ts';

interface Unresolved {
  caller: Pick<Caller, 'livemode'>;
  type: GenerationType;
  request: GenerationRequest;
  warnings: readonly Warning[];
}

/** Returns the request with its defaults. The aspect ratio is null while it is not known. */
export function resolveRequest(
  catalogue: Catalogue,
  { caller, type, request, warnings }: Unresolved,
  image: TaskImage | null,
  aspectRatio: AspectRatio | null,
): Omit<TaskRequest, 'aspectRatio'> {
  const { resolution, durationSeconds } = request;
  const model = resolveModel(catalogue, request.model, { type, resolution, aspectRatio, durationSeconds });
  return {
    type,
    model: model.id,
    pool: servingModel({ livemode: caller.livemode, model }).pool,
    prompt: request.prompt,
    negativePrompt: request.negativePrompt,
    resolution,
    durationSeconds,
    seed: request.seed ?? random.below(2 ** 32),
    image,
    warnings,
    metadata: request.metadata,
    callbackUrl: request.callbackUrl,
    callbackEvents: request.callbackEvents,
    price: caller.livemode ? priceOf(model, resolution, durationSeconds) : null,
  };
}
