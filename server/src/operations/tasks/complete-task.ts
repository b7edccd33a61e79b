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
 * Completes a task whose files are stored. False if it has ended or is in another attempt; then files that the row does
 * not name are deleted, except while the task is active (another attempt may be about to name them) or without a row (a
 * better backup may have one).
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
