import type { Database } from '../../db/database.ts';
import type { Operator } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { Task } from '../../domain/task.ts';
import { AppError } from '../../errors.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { requireReadable } from './read-task.ts';

/** Shows an operator a task's texts for a reason, which is in the audit log before anything is shown. */
export async function revealTask(
  { db, clock }: { db: Database; clock: Clock },
  operator: Operator,
  { taskId, reason }: { taskId: string; reason: string },
): Promise<Task> {
  if (reason.trim() === '')
    throw new AppError('invalid_parameter', { message: 'Give a reason. The audit log records it.' });
  const task = requireReadable(uuidFromId('task', taskId) === null ? null : await db.tasks.find(taskId));
  const event = { action: 'task.revealed', objectId: taskId, of: task, detail: { reason } } as const;
  await recordAuditEvent(db, operator, event, clock.now());
  return task;
}
