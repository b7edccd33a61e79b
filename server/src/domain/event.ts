import type { Task } from './task.ts';

export const eventTypes = ['video.started', 'video.completed', 'video.failed', 'video.cancelled'] as const;

/** What callers can be told about: the names are part of the contract. */
export type EventType = (typeof eventTypes)[number];

/** Something that happened to a task. What it says of the task is read from the task's row when it is told. */
export interface TaskEvent {
  id: string;
  type: EventType;
  taskId: string;
  projectId: string;
  livemode: boolean;
  /** The attempt that the task was in. */
  attempt: number;
  createdAt: Date;
}

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
