export const eventTypes = ['video.started', 'video.completed', 'video.failed', 'video.cancelled'] as const;

/** The events that callers can receive. The names are part of the contract. */
export type EventType = (typeof eventTypes)[number];

/** Something that happened to a task, without a copy of it: its row is read when the event is sent. */
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
