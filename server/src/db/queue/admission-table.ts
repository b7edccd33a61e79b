import { type Kysely, sql } from 'kysely';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { compileOnce } from '../connection/compile-once.ts';
import { taskId, toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';
import { dueIn, type OutboxMessage } from './outbox-table.ts';
import { notedAfter, unservedBefore } from './unserved-pool-table.ts';

type TaskStart = Extract<OutboxMessage, { kind: 'start' }>;

interface AdmittedRow {
  outbox_id: string;
  admitted_task: string;
  admitted_pool: string;
  project_weight: number;
  was_given_back: boolean;
}

interface AdmissionValues {
  project: string;
  livemode: boolean;
  at: Date;
  delayMilliseconds: number;
}

/** The function is defined in a migration. */
const admit = compileOnce(
  (_, { project, livemode, at, delayMilliseconds }: AdmissionValues) => sql<AdmittedRow>`
    select * from admit_tasks(${project}, ${livemode}, ${at}, ${dueIn(delayMilliseconds)}, ${unservedBefore}, ${notedAfter})`,
);

export function admissionTable(db: Kysely<Schema>) {
  return {
    /**
     * Admits tasks of served pools from the queue's head while there is room, and locks the project's row until the
     * transaction ends. The relay sends the returned messages after `delayMilliseconds`.
     */
    async admit({ projectId, livemode }: ProjectMode, at: Date, delayMilliseconds: number): Promise<TaskStart[]> {
      const project = toUuid('proj', projectId);
      const result = await db.executeQuery(admit({ project, livemode, at, delayMilliseconds }));
      return result.rows.map((row) => ({
        kind: 'start',
        outboxId: row.outbox_id,
        tries: 0,
        taskId: taskId(row.admitted_task),
        projectId,
        pool: row.admitted_pool,
        weight: row.project_weight,
        enter: 'generate',
        afterCompletion: row.was_given_back,
      }));
    },
  };
}
