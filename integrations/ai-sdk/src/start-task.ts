import type { ImageToVideo, Kinora, Task, TextToVideo } from '@kinora/sdk';
import type { Connection } from './connection.ts';

/** Creates the task. If the signal is aborted before the response arrives, the task is cancelled. */
export async function startTask(
  { withoutRetries, forCleanup }: Connection,
  request: TextToVideo | ImageToVideo,
  idempotencyKey: string,
  signal: AbortSignal | undefined,
): Promise<Task> {
  signal?.throwIfAborted();
  const create = (client: Kinora, signal?: AbortSignal): Promise<Task> =>
    'image' in request
      ? client.videos.imageToVideo(request, { idempotencyKey, signal })
      : client.videos.textToVideo(request, { idempotencyKey, signal });
  let task: Task | null = null;
  try {
    task = await create(withoutRetries, signal);
    if (!signal?.aborted) return task;
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
  // The service may have created the task although its response was lost. The same key finds the task, so that it can
  // be cancelled.
  task ??= await create(forCleanup).catch(() => null);
  if (task) await cancelTask(forCleanup, task.id);
  throw signal.reason;
}

/** Cancels a task and ignores errors: the caller has stopped waiting, and the task may have ended already. */
export async function cancelTask(forCleanup: Kinora, taskId: string): Promise<void> {
  await forCleanup.videos.cancel(taskId).catch(() => undefined);
}
