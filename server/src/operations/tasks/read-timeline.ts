import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { type Timeline, timelineOf } from '../../domain/timeline.ts';
import { findOwnTask } from './read-task.ts';

/** Returns what happened to a task of the caller, and when. */
export async function readTimeline(
  { db, clock }: { db: Pick<Database, 'tasks' | 'attempts'>; clock: Clock },
  owner: ProjectMode,
  taskId: string,
): Promise<Timeline> {
  const task = await findOwnTask({ db }, owner, taskId);
  return timelineOf(task, await db.attempts.list(taskId), clock.now());
}
