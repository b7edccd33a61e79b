import type { Tables } from '../../db/database.ts';
import { type Actor, projectModeOf } from '../../domain/actor.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { Task } from '../../domain/task.ts';
import { AppError } from '../../errors.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import type { WorkflowStart } from '../queue/workflow-client.ts';
import type { WorkflowParts } from '../queue/workflow-parts.ts';
import { endTask } from './end-task.ts';
import { findOwnTask, requireReadable } from './read-task.ts';

/**
 * Cancels an active task. Cancelling twice is not an error; cancelling a task that has completed or failed is. The holder
 * of a key can cancel only tasks of its project; operators can cancel any task, which is recorded in the audit log.
 */
export async function cancelTask(
  dependencies: WorkflowParts,
  taskId: string,
  actor: Actor | null = null,
): Promise<Task> {
  const { db, workflows, clock } = dependencies;
  const owner = actor && projectModeOf(actor);
  if (owner) await findOwnTask(dependencies, owner, taskId);
  if (uuidFromId('task', taskId) === null) throw new AppError('task_not_found');
  const cancelled = await db.transaction(async (tables) => {
    const now = clock.now();
    const ended = await cancelWithin(tables, taskId, now);
    if (ended && actor && !owner)
      await recordAuditEvent(tables, actor, { action: 'task.cancelled', objectId: taskId, of: ended.task }, now);
    return ended;
  });
  if (cancelled) {
    workflows.startSoon(cancelled.starts);
    return cancelled.task;
  }
  const task = requireReadable(await db.tasks.find(taskId));
  if (task.status !== 'cancelled') {
    throw new AppError('task_not_cancellable', { message: `The task has already ended with status ${task.status}.` });
  }
  return task;
}

/** Cancels inside a transaction; null if the task had ended already. The caller starts `starts` after the commit. */
export async function cancelWithin(
  tables: Tables,
  taskId: string,
  now: Date,
): Promise<{ task: Task; starts: WorkflowStart[] } | null> {
  const ended = await endTask(tables, taskId, { kind: 'cancel' }, {}, now);
  // A task that was never admitted has no workflow. For the others, the relay repeats the cancel until Temporal has it.
  if (ended?.wasAdmitted) {
    const { projectId, pool } = ended.task;
    await tables.outbox.add([{ kind: 'cancel', taskId, projectId, pool, weight: 1, enter: 'generate' }]);
  }
  return ended;
}
