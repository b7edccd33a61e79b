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
 * The final commit of a task whose files are stored. Whoever comes second, or after a cancel, deletes what it stored unless the
 * row names it; while the task is open, another attempt may be about to name the same content, so it stays for the sweep.
 */
export async function completeTask(
  { db, storage, workflows, clock }: Dependencies,
  taskId: string,
  attempt: number,
  video: TaskVideo,
): Promise<boolean> {
  const now = clock.now();
  const ended = await db.transaction((tables) =>
    endTask(tables, taskId, { kind: 'complete', video }, { attempt }, now),
  );
  if (ended) {
    workflows.startSoon(ended.starts);
    return true;
  }
  const { keys, isActive } = await db.tasks.namedObjects(taskId);
  const stored = [video.objectKey, video.thumbnailKey, video.spritesheetKey];
  if (!isActive) await storage.delete(stored.filter((key) => !keys.includes(key)));
  return false;
}
