import { type Kysely, type Selectable, sql } from 'kysely';
import type { EventType, TaskEvent } from '../../domain/event.ts';
import { lowestUuidAt, newId } from '../../domain/id.ts';
import type { Task } from '../../domain/task.ts';
import { eventId, projectId, taskId, toUuid } from '../connection/ids.ts';
import type { EventRow, Schema } from '../connection/schema.ts';

/** A reader's position in the events of one project and mode. */
export interface EventPosition {
  projectId: string;
  livemode: boolean;
  /** A UUID: only events after it are returned. */
  after: string;
}

const dayMilliseconds = 24 * 60 * 60 * 1000;
const highestUuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The events of tasks, for webhooks and streams. A row holds ids only: the payload is read from the task's row. */
export function eventTable(db: Kysely<Schema>) {
  return {
    async add(type: EventType, task: Task, at: Date): Promise<TaskEvent> {
      const event = {
        id: newId('evt', at, task.projectId),
        type,
        taskId: task.id,
        projectId: task.projectId,
        livemode: task.livemode,
        attempt: task.attempt,
        createdAt: at,
      };
      await db
        .insertInto('events')
        .values({
          id: toUuid('evt', event.id),
          task_id: toUuid('task', event.taskId),
          project_id: toUuid('proj', event.projectId),
          livemode: event.livemode,
          type,
          attempt: event.attempt,
          created_at: at,
        })
        .execute();
      return event;
    },

    async find(id: string): Promise<TaskEvent | null> {
      const row = await db.selectFrom('events').selectAll().where('id', '=', toUuid('evt', id)).executeTakeFirst();
      return row ? toEvent(row) : null;
    },

    /** Returns the next events after each of these positions by id, at most `limit` per position, in one query. */
    async after(positions: readonly EventPosition[], limit: number, now: Date): Promise<TaskEvent[]> {
      if (positions.length === 0) return [];
      // Both bounds tell the planner which days it needs. No process makes ids that are more than a day ahead.
      const lowest = positions.reduce((least, { after }) => (after < least ? after : least), highestUuid);
      const beyond = lowestUuidAt(new Date(now.getTime() + dayMilliseconds));
      const projects = positions.map((position) => toUuid('proj', position.projectId));
      const modes = positions.map((position) => position.livemode);
      const afters = positions.map((position) => position.after);
      const result = await sql<Selectable<EventRow>>`
        select event.* from unnest(${projects}::uuid[], ${modes}::boolean[], ${afters}::uuid[])
          as position (project_id, livemode, after)
        cross join lateral (
          select * from events
          where events.project_id = position.project_id and events.livemode = position.livemode
            and events.id > position.after and events.id > ${lowest} and events.id < ${beyond}
          order by events.id limit ${limit}
        ) event
        order by event.id`.execute(db);
      return result.rows.map(toEvent);
    },
  };
}

function toEvent(row: Selectable<EventRow>): TaskEvent {
  return {
    id: eventId(row.id),
    type: row.type,
    taskId: taskId(row.task_id),
    projectId: projectId(row.project_id),
    livemode: row.livemode,
    attempt: row.attempt,
    createdAt: row.created_at,
  };
}
