import { canvasFor, framesFor } from '../domain/canvas.ts';
import { engineSeed } from '../domain/generation-request.ts';
import { findModel } from '../domain/model.ts';
import { sizeOf } from '../domain/size.ts';
import type { Task } from '../domain/task.ts';
import type { RenderRequest } from '../engines/engine.ts';
import type { Images } from '../media/images.ts';
import type { Storage } from '../storage/storage.ts';

/** What the engine is asked for: the task on the model's canvas, with its image already fitted to it. */
export async function prepareRender(
  { images, storage }: { images: Images; storage: Storage },
  task: Task,
  jobId: string,
): Promise<RenderRequest> {
  const model = findModel(task.model);
  if (!model) throw new Error('the model of an accepted task has left the configuration');
  const canvas = canvasFor(sizeOf(task.resolution, task.aspectRatio), model.grid);
  return {
    jobId,
    prompt: task.prompt,
    negativePrompt: task.negativePrompt,
    seed: engineSeed(task.seed),
    ...canvas,
    fps: model.fps,
    frameCount: framesFor(task.durationSeconds, model.fps, model.frameStep),
    image: task.image ? await fittedImage({ images, storage }, task.image, canvas) : null,
  };
}

async function fittedImage(
  { images, storage }: { images: Images; storage: Storage },
  image: NonNullable<Task['image']>,
  canvas: { width: number; height: number },
): Promise<Uint8Array> {
  const body = await storage.read(image.objectKey);
  if (!body) throw new Error('the image of an accepted task is gone from the store');
  return images.fit(Buffer.concat(await body.toArray()), { ...canvas, fit: image.fit });
}
