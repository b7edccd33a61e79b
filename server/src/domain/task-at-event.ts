import type { TaskEvent } from './event.ts';
import type { Task } from './task.ts';

/** The task as it was at the event. A final row never changes, so only the start of an attempt has to be derived. */
export function taskAtEvent(task: Task, event: Pick<TaskEvent, 'type' | 'attempt'>): Task {
  if (event.type !== 'video.started') return task;
  // The cast widens the union, so that the fields of other statuses can be left out by name.
  const { admittedAt: _, completedAt: __, expiresAt: ___, video: ____, error: _____, ...rest } = task as Widened;
  return { ...rest, attempt: event.attempt, status: 'in_progress', stage: 'preparing' };
}

type Widened = Task & Record<'admittedAt' | 'completedAt' | 'expiresAt' | 'video' | 'error', unknown>;
