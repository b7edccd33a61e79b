import type { ImageToVideo, Kinora, Task, TextToVideo } from '@kinora/sdk';
import type { Connection } from './connection.ts';

/** Creates the task. An abort before the answer has come leaves no task behind that goes on. */
export async function startTask(
  { once, brief }: Connection,
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
    task = await create(once, signal);
    if (!signal?.aborted) return task;
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
  // The service may have it although its answer was cut off. The same key finds it again, so that it can be cancelled.
  task ??= await create(brief).catch(() => null);
  if (task) await cancelTask(brief, task.id);
  throw signal.reason;
}

/** Cancels as well as can be: the caller has left, and a task that has ended meanwhile is just as well. */
export async function cancelTask(brief: Kinora, taskId: string): Promise<void> {
  await brief.videos.cancel(taskId).catch(() => undefined);
}
