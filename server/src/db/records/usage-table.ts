import type { Kysely } from 'kysely';
import { isBillable, type Task } from '../../domain/task.ts';
import { toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';

/** One row per ended task, without its prompt. The primary key makes a second row impossible. */
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
          waiting_seconds: secondsBetween(task.createdAt, task.startedAt ?? completedAt),
          rendering_seconds: task.startedAt && secondsBetween(task.startedAt, completedAt),
          created_at: task.createdAt,
          completed_at: completedAt,
        })
        .execute();
    },
  };
}

function secondsBetween(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / 1000;
}
