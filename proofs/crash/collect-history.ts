import { taskIdOf } from '@kinora/stack/harness/task-id';
import type { World } from './crash-world.ts';
import { hashObjects } from './hash-objects.ts';
import type { AttemptRecord, History, TaskRecord } from './history.ts';
import { countWorkflows } from './rest.ts';

interface TaskRow extends Omit<TaskRecord, 'id'> {
  id: string;
}
interface OfTask {
  taskId: string;
}

/** Adds the final state to the history: rows, workflows, and a hash of every object in the store. */
export async function collectHistory(world: Pick<World, 'rows' | 'stack' | 'history'>): Promise<History> {
  const { rows } = world;
  const tasks = await rows.query<TaskRow>(
    `select id, metadata->>'client_id' as "clientId", status, attempt, failed_attempts as "failedAttempts", restarts,
            error->>'code' as "errorCode", video, image->>'objectKey' as "imageKey" from tasks order by id`,
  );
  const attempts = await rows.query<AttemptRecord>(
    `select task_id as "taskId", attempt, outcome, takeovers, (extract(epoch from began_at) * 1000)::float8 as "beganAt",
            (extract(epoch from ended_at) * 1000)::float8 as "endedAt" from attempts order by task_id, attempt`,
  );
  const events = await rows.query<OfTask & { type: string; at: number }>(
    `select task_id as "taskId", type, (extract(epoch from created_at) * 1000)::float8 as at from events order by id`,
  );
  const usage = await rows.query<OfTask & { status: string }>('select task_id as "taskId", status from usage');
  const leases = await rows.query<History['leases'][number]>(
    'select endpoint_id as "endpointId", slot, task_id as "taskId" from leases',
  );
  const [outbox] = await rows.query<{ count: number }>('select count(*)::int as count from outbox');
  return {
    ...world.history,
    tasks: tasks.map((row) => ({ ...row, id: taskIdOf(row.id) })),
    attempts: attempts.map(withTaskId),
    events: events.map(withTaskId),
    usage: usage.map(withTaskId),
    leases: leases.map((row) => ({ ...row, taskId: row.taskId === null ? null : taskIdOf(row.taskId) })),
    projectSlots: await rows.query('select project_id as "projectId", livemode, running, waiting from project_slots'),
    outboxRows: outbox?.count ?? 0,
    workflows: await countWorkflows(world),
    objects: await hashObjects(world.stack.info.s3),
  };
}

function withTaskId<Row extends OfTask>(row: Row): Row {
  return { ...row, taskId: taskIdOf(row.taskId) };
}
