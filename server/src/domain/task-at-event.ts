import type { TaskEvent } from './event.ts';
import type { Task } from './task.ts';

/**
 * Returns the task as it was when the event happened. A final row never changes, so only the start of an attempt has to
 * be derived from a row that may have changed since.
 */
export function taskAtEvent(task: Task, event: Pick<TaskEvent, 'type' | 'attempt'>): Task {
  if (event.type !== 'video.started') return task;
  // The cast widens the union, so that the fields of other statuses can be left out by name.
  const { admittedAt: _, completedAt: __, expiresAt: ___, video: ____, error: _____, ...rest } = task as Widened;
  return { ...rest, attempt: event.attempt, status: 'in_progress', stage: 'preparing' };
}

type Widened = Task & Record<'admittedAt' | 'completedAt' | 'expiresAt' | 'video' | 'error', unknown>;
