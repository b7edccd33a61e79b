import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import type { TaskVideo } from '../../domain/task.ts';
import type { Storage } from '../../storage/storage.ts';
import type { WorkflowClient } from '../queue/workflow-client.ts';
import { endTask } from './end-task.ts';

interface Dependencies {
  db: Database;
  storage: Storage;
  workflows: WorkflowClient;
  clock: Clock;
}

/**
 * Completes a task whose files are stored. Returns false if the task had ended already or is in another attempt; then
 * the files are deleted unless the row names them. While the task is active they stay for the sweep, because another
 * attempt may be about to name the same content. They also stay if there is no row: after a restore, a better backup may
 * have one that names them.
 */
export async function completeTask(
  { db, storage, workflows, clock }: Dependencies,
  taskId: string,
  attempt: number,
  video: TaskVideo,
): Promise<boolean> {
  const ended = await db.transaction((tables) =>
    endTask(tables, taskId, { kind: 'complete', video }, { attempt }, clock.now()),
  );
  if (ended) {
    workflows.startSoon(ended.starts);
    return true;
  }
  const named = (await db.tasks.namedObjects([taskId])).get(taskId);
  const stored = [video.objectKey, video.thumbnailKey, video.spritesheetKey];
  if (named && !named.isActive) await storage.delete(stored.filter((key) => !named.keys.includes(key)));
  return false;
}
