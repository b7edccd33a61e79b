import { canvasFor, framesFor } from '../domain/canvas.ts';
import { type Catalogue, modelOfTask } from '../domain/catalogue.ts';
import { engineSeed } from '../domain/generation-request.ts';
import { sizeOf } from '../domain/size.ts';
import type { Task } from '../domain/task.ts';
import type { RenderRequest } from '../engines/engine.ts';
import type { Images } from '../media/images.ts';
import type { Storage } from '../storage/storage.ts';
import type { Log } from '../telemetry/log.ts';
import { jobDirectiveFor } from './forced-outcome.ts';

/**
 * A request without the id of its job, or why there is none: worth a retry (`store-away`, `unfit`) or final (the
 * others).
 */
export type Prepared = Omit<RenderRequest, 'jobId'> | 'store-away' | 'unfit' | 'gone' | 'no-model';

interface Dependencies {
  catalogue: () => Catalogue;
  images: Images;
  storage: Storage;
  log: Log;
}

/** Returns the request to the engine: the task on the model's canvas, with its image fitted to that canvas. */
export async function prepareRender(dependencies: Dependencies, task: Task): Promise<Prepared> {
  const model = modelOfTask(dependencies.catalogue(), task.model);
  if (!model) return 'no-model';
  const canvas = canvasFor(sizeOf(task.resolution, task.aspectRatio), model);
  const image = task.image ? await fittedImage(dependencies, task.image, canvas) : null;
  if (typeof image === 'string') return image;
  return {
    prompt: task.prompt,
    negativePrompt: task.negativePrompt,
    seed: engineSeed(task.seed),
    ...canvas,
    fps: model.fps,
    frameCount: framesFor(task.durationSeconds, model.fps, model.frameStep),
    image,
    parameters: model.parameters,
    directive: jobDirectiveFor(task),
  };
}

async function fittedImage(
  { images, storage, log }: Dependencies,
  { objectKey, fit }: NonNullable<Task['image']>,
  canvas: { width: number; height: number },
): Promise<Uint8Array | 'store-away' | 'unfit' | 'gone'> {
  let bytes: Buffer;
  try {
    const body = await storage.read(objectKey);
    if (!body) return 'gone';
    bytes = Buffer.concat(await body.toArray());
  } catch (error) {
    log.warn({ event: 'image.read_failed', err: error, objectKey }, 'image not readable yet');
    return 'store-away';
  }
  try {
    return await images.fit(bytes, { ...canvas, fit });
  } catch (error) {
    log.warn({ event: 'image.fit_failed', err: error, objectKey }, 'image not scaled');
    return 'unfit';
  }
}
