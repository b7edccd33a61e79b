import { once } from 'node:events';
import { type Actor, projectModeOf } from '../../domain/actor.ts';
import { uuidFromId } from '../../domain/id.ts';
import { taskFolder } from '../../domain/object-key.ts';
import { AppError } from '../../errors.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Log } from '../../telemetry/log.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import type { WorkflowParts } from '../queue/workflow-parts.ts';
import { cancelWithin } from './cancel-task.ts';

interface Dependencies extends WorkflowParts {
  storage: Storage;
  log: Log;
}

/** The response waits for the store no longer than this; the retention and the sweep delete what is left. */
const patienceMilliseconds = 3_000;

/**
 * Cancels a task that is still active and erases its texts in one commit, so that a worker that still has it stores
 * nothing more; then its files. Deleting twice has the effect of once. Operators can delete any task.
 */
export async function deleteTask(dependencies: Dependencies, actor: Actor, taskId: string): Promise<void> {
  const { db, workflows, clock } = dependencies;
  const owner = projectModeOf(actor);
  const isTaskId = uuidFromId('task', taskId) !== null;
  const task = isTaskId ? await (owner ? db.tasks.findOf(owner, taskId) : db.tasks.find(taskId)) : null;
  if (!task) throw new AppError('task_not_found');
  if (task.deletedAt !== null) return;
  const cancelled = await db.transaction(async (tables) => {
    const now = clock.now();
    // The lock comes first: a task that ends by itself now is either cancelled here or ends before it is erased.
    await tables.tasks.lock(taskId);
    const ended = await cancelWithin(tables, taskId, now);
    const isErased = await tables.tasks.erase(taskId, now);
    await tables.idempotencyKeys.eraseResponse(taskId);
    // Of two deletes at the same moment, only one erases.
    if (isErased) await recordAuditEvent(tables, actor, { action: 'task.deleted', objectId: taskId, of: task }, now);
    return ended;
  });
  workflows.startSoon(cancelled?.starts ?? []);
  await Promise.race([deleteFiles(dependencies, taskId), once(clock.deadline(patienceMilliseconds), 'abort')]);
}

/** Deletes files as best effort and never throws: the row names none any more, so the rest is deleted later. */
async function deleteFiles({ db, storage, log }: Dependencies, taskId: string): Promise<void> {
  try {
    const keys: string[] = [];
    for await (const { key } of storage.list(`${taskFolder(taskId)}/`)) keys.push(key);
    await storage.delete(keys);
    await db.taskFiles.markDeleted([taskId]);
  } catch (error) {
    log.warn({ event: 'task_files.delete_failed', err: error, taskId }, 'files of a deleted task not deleted');
  }
}
