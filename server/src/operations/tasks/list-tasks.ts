import type { Database } from '../../db/database.ts';
import type { TaskFilter } from '../../db/tasks/task-filter.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { ListPage } from '../../domain/list-page.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { badCursor } from '../bad-cursor.ts';

export interface TaskListQuery extends ListPage {
  filter: TaskFilter;
}

/** One page of the caller's tasks that are not deleted. It may have few or none although `next` is not null. */
export async function listTasks(
  { db, clock }: { db: Pick<Database, 'tasks' | 'taskList'>; clock: Clock },
  caller: ProjectMode & Pick<Caller, 'limits'>,
  query: TaskListQuery,
) {
  if (query.after !== null) await refuseForeignCursor(db, caller, query.after);
  const { views, next } = await db.taskList.page({ ...query, owner: caller, now: clock.now() });
  // The limits were read with the key, so this needs no query.
  const { running, waiting, readsPerMinute } = caller.limits;
  const activity = { activeTasks: running + waiting, readsPerMinute };
  return { ...activity, views: views.map((view) => ({ ...view, ...activity })), next };
}

/** Throws if the cursor is foreign, unknown or malformed. A task that was deleted since still serves as one. */
async function refuseForeignCursor(db: Pick<Database, 'tasks'>, owner: ProjectMode, after: string): Promise<void> {
  const task = uuidFromId('task', after) === null ? null : await db.tasks.findOf(owner, after);
  if (!task) throw badCursor('a task of this project');
}
