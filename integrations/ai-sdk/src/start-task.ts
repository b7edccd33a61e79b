import type { CreateOptions, ImageToVideo, Kinora, Task, TextToVideo, Videos } from '@kinora/sdk';
import { forCleanup, sentOnce } from './connection.ts';

/** Creates the task. If the signal is aborted before the response arrives, the task is cancelled. */
export async function startTask(
  { videos }: Kinora,
  request: TextToVideo | ImageToVideo,
  idempotencyKey: string,
  signal: AbortSignal | undefined,
): Promise<Task> {
  signal?.throwIfAborted();
  const create = (options: CreateOptions): Promise<Task> =>
    'image' in request
      ? videos.imageToVideo(request, { ...options, idempotencyKey })
      : videos.textToVideo(request, { ...options, idempotencyKey });
  let task: Task | null = null;
  try {
    task = await create({ ...sentOnce, signal });
    if (!signal?.aborted) return task;
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
  // The service may have created the task although its response was lost. The same key finds the task, so that it can
  // be cancelled.
  task ??= await create(forCleanup).catch(() => null);
  if (task) await cancelTask(videos, task.id);
  throw signal.reason;
}

/** Cancels a task and ignores errors: the caller has stopped waiting, and the task may have ended already. */
export async function cancelTask(videos: Videos, taskId: string): Promise<void> {
  await videos.cancel(taskId, forCleanup).catch(() => undefined);
}
