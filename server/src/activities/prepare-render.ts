import { canvasFor, framesFor } from '../domain/canvas.ts';
import { type Catalogue, modelOfTask } from '../domain/catalogue.ts';
import { engineSeed } from '../domain/generation-request.ts';
import { sizeOf } from '../domain/size.ts';
import type { Task } from '../domain/task.ts';
import type { ComparableRequest, RenderRequest } from '../engines/engine.ts';
import type { Images } from '../media/images.ts';
import type { Storage } from '../storage/storage.ts';
import type { Log } from '../telemetry/log.ts';
import { jobDirectiveFor } from './forced-outcome.ts';

/** A request without its job's id, or why there is none: worth a retry (`store-away`, `unfit`) or final (the rest). */
export type Prepared = Omit<RenderRequest, 'jobId'> | 'store-away' | 'unfit' | 'gone' | 'no-model';

interface Dependencies {
  catalogue: () => Catalogue;
  images: Images;
  storage: Storage;
  log: Log;
}

/** Returns the request to the engine: the task on the model's canvas, with its image fitted to that canvas. */
export async function prepareRender(dependencies: Dependencies, task: Task): Promise<Prepared> {
  const request = comparableRequest(dependencies, task);
  if (!request) return 'no-model';
  const image = task.image ? await fittedImage(dependencies, task.projectId, task.image, request) : null;
  return typeof image === 'string' ? image : { ...request, image };
}

/** Returns the request without its image; null if the catalogue does not have the task's model. */
export function comparableRequest(
  { catalogue }: Pick<Dependencies, 'catalogue'>,
  task: Task,
): ComparableRequest | null {
  const model = modelOfTask(catalogue(), task.model);
  if (!model) return null;
  return {
    prompt: task.prompt,
    negativePrompt: task.negativePrompt,
    seed: engineSeed(task.seed),
    ...canvasFor(sizeOf(task.resolution, task.aspectRatio), model),
    fps: model.fps,
    frameCount: framesFor(task.durationSeconds, model.fps, model.frameStep),
    parameters: model.parameters,
    directive: jobDirectiveFor(task),
  };
}

async function fittedImage(
  { images, storage, log }: Dependencies,
  projectId: string,
  { objectKey, fit }: NonNullable<Task['image']>,
  { width, height }: { width: number; height: number },
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
    return await images.fit(projectId, bytes, { width, height, fit });
  } catch (error) {
    log.warn({ event: 'image.fit_failed', err: error, objectKey }, 'image not scaled');
    return 'unfit';
  }
}
