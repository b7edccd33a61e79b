import type { Kysely } from 'kysely';
import type { EventType } from '../domain/event.ts';
import { newId } from '../domain/id.ts';
import type { Task } from '../domain/task.ts';
import { toUuid } from './ids.ts';
import type { Schema } from './schema.ts';

/** What happened to tasks, for webhooks and streams. Ids only: what an event says is read from the task's row. */
export function eventTable(db: Kysely<Schema>) {
  return {
    async add(type: EventType, task: Task, at: Date): Promise<void> {
      await db
        .insertInto('events')
        .values({
          id: toUuid('evt', newId('evt', at)),
          task_id: toUuid('task', task.id),
          project_id: toUuid('proj', task.projectId),
          livemode: task.livemode,
          type,
          attempt: task.attempt,
          created_at: at,
        })
        .execute();
    },
  };
}
