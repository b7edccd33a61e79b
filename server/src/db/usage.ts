import type { Kysely } from 'kysely';
import { isBillable, type Task } from '../domain/task.ts';
import { toUuid } from './ids.ts';
import type { Schema } from './schema.ts';

/** One row for every task that has ended, without its prompt; the primary key makes a second one impossible. */
export function usageTable(db: Kysely<Schema>) {
  return {
    async add(task: Task, completedAt: Date): Promise<void> {
      await db
        .insertInto('usage')
        .values({
          task_id: toUuid('task', task.id),
          project_id: toUuid('proj', task.projectId),
          livemode: task.livemode,
          key_id: toUuid('key', task.keyId),
          model: task.model,
          status: task.status,
          code: task.status === 'failed' ? task.error.code : null,
          engine_seconds: task.engineSeconds,
          video_seconds: task.status === 'completed' ? task.durationSeconds : 0,
          billable: isBillable(task),
          waiting_seconds: ((task.startedAt ?? completedAt).getTime() - task.createdAt.getTime()) / 1000,
          created_at: task.createdAt,
          completed_at: completedAt,
        })
        .execute();
    },
  };
}
