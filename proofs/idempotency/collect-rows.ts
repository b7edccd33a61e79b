import { taskIdOf } from '@kinora/stack/harness/task-id';
import type { Client } from 'pg';
import type { Evidence } from './idempotency-evidence.ts';

/** Reads the final rows. Task ids are in their public form, because the checker compares them with responses. */
export async function collectRows(database: Client): Promise<Pick<Evidence, 'tasks' | 'records' | 'counted'>> {
  const tasks = await database.query<{ id: string; key: string | null }>(
    `select id, metadata->>'key' as key from tasks`,
  );
  const records = await database.query<{ key: string; task_id: string | null }>(
    'select key, task_id from idempotency_keys',
  );
  const counted = await database.query<{ running: number; waiting: number }>(
    'select sum(running)::int as running, sum(waiting)::int as waiting from project_slots',
  );
  return {
    tasks: tasks.rows.map(({ id, key }) => ({ id: taskIdOf(id), key })),
    records: records.rows.map((row) => ({ key: row.key, taskId: row.task_id && taskIdOf(row.task_id) })),
    counted: counted.rows[0] ?? { running: 0, waiting: 0 },
  };
}
