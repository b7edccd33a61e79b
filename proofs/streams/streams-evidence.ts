/** A stream to open. */
export interface StreamPlan {
  number: number;
  kind: 'task' | 'project';
  url: string;
  /** Empty if the URL is signed. */
  headers: Record<string, string>;
  /** The tasks whose end it must send: one, or all of the project. */
  taskIds: string[];
}

/** One message that arrived. Times are unix milliseconds; everything runs on one machine. */
export interface Arrival {
  event: string;
  id: string | null;
  taskId: string;
  status: string;
  at: number;
}

export interface StreamRecord extends StreamPlan {
  /** The status of the response; 0 if there was none. */
  responseStatus: number;
  arrivals: Arrival[];
  hasEnded: boolean;
  keepAlives: number;
}

/** The cancel that caused an event. */
export interface Cause {
  taskId: string;
  sentAt: number;
  /** When Postgres was about to commit the event. */
  committedAt: number;
}

export interface Evidence {
  streams: StreamRecord[];
  causes: Cause[];
  memory: { beforeBytes: number; openBytes: number };
  secondsToOpen: number;
}
