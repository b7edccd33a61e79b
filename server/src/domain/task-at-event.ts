import type { TaskEvent } from './event.ts';
import type { Task } from './task.ts';

/**
 * The task as it was when the event happened. A final row never changes, so only the start of an attempt has to be told
 * from a row that may have gone on since.
 */
export function taskAtEvent(task: Task, event: Pick<TaskEvent, 'type' | 'attempt'>): Task {
  if (event.type !== 'video.started') return task;
  // The cast opens the union, so that what belongs to other statuses can be left out by name.
  const { admittedAt: _, completedAt: __, expiresAt: ___, video: ____, error: _____, ...rest } = task as Opened;
  return { ...rest, attempt: event.attempt, status: 'in_progress', stage: 'preparing' };
}

type Opened = Task & Record<'admittedAt' | 'completedAt' | 'expiresAt' | 'video' | 'error', unknown>;
