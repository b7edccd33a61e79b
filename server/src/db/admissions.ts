import { type Kysely, sql } from 'kysely';
import type { ProjectMode } from '../domain/project-mode.ts';
import { taskId, toUuid } from './ids.ts';
import type { OutboxMessage } from './outbox.ts';
import type { Schema } from './schema.ts';

interface Admission extends ProjectMode {
  /** The head of the project's queue, as `openTasks.head` returns it. */
  head: readonly { taskId: string; wasGivenBack: boolean }[];
  /** How many of them may be admitted. */
  limit: number;
  /** The project's weight among projects. */
  weight: number;
  at: Date;
  /** When the relay starts the workflows, if nobody has done so before. */
  dueAt: Date;
}

export function admissionTable(db: Kysely<Schema>) {
  return {
    /**
     * Admits tasks in the order of the queue, counts them as running and writes the messages that start their workflows.
     * It skips tasks that have left the queue or that others have locked. The caller has locked the project's row.
     */
    async admit(admission: Admission): Promise<Extract<OutboxMessage, { kind: 'start' }>[]> {
      const { projectId, livemode, head, limit, weight, at, dueAt } = admission;
      const project = toUuid('proj', projectId);
      const ids = sql`${head.map((task) => toUuid('task', task.taskId))}::uuid[]`;
      const givenBack = head.flatMap((task) => (task.wasGivenBack ? [toUuid('task', task.taskId)] : []));
      // The update names the ids once more, so that Postgres plans only the partitions that have them. `locked` runs once,
      // because it is a common table expression; a subselect may run once per row, and then finds more than its limit.
      // A pool's count never falls below zero: it only informs, and must not keep a task from running.
      const result = await sql<{ outbox_id: string; id: string; pool: string; after_completion: boolean }>`
        with locked as (
          select id from tasks where id = any(${ids}) and status = 'queued' and admitted_at is null
          order by priority, id limit ${limit} for update skip locked
        ), admitted as (
          update tasks set admitted_at = ${at}, checked_at = ${at} from locked
          where tasks.id = locked.id and tasks.id = any(${ids})
          returning tasks.id, tasks.pool
        ), counted as (
          update project_slots set running = running + tasks, waiting = waiting - tasks
          from (select count(*)::int as tasks from admitted) admitted
          where project_id = ${project} and livemode = ${livemode} and tasks > 0
        ), counted_by_pool as (
          update pool_waiting set waiting = greatest(0, waiting - tasks)
          from (select pool, count(*)::int as tasks from admitted group by pool) admitted
          where project_id = ${project} and livemode = ${livemode} and pool_waiting.pool = admitted.pool
        )
        insert into outbox (kind, task_id, project_id, pool, weight, enter, after_completion, created_at, due_at)
        select 'start', id, ${project}::uuid, pool, ${weight}::real, 'generate', id = any(${givenBack}::uuid[]),
          ${at}::timestamptz, ${dueAt}::timestamptz
        from admitted
        returning id as outbox_id, task_id as id, pool, after_completion`.execute(db);
      return result.rows.map((row) => ({
        kind: 'start',
        outboxId: row.outbox_id,
        tries: 0,
        taskId: taskId(row.id),
        projectId,
        pool: row.pool,
        weight,
        enter: 'generate',
        // A task that was given back may have had a workflow that ended because of it.
        afterCompletion: row.after_completion,
      }));
    },
  };
}
