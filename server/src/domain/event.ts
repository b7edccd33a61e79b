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
