/** A stream that a reader is to open. */
export interface StreamPlan {
  number: number;
  kind: 'task' | 'project';
  url: string;
  /** Empty where the URL is signed. */
  headers: Record<string, string>;
  /** The tasks whose end it must tell: one, or all of the project. */
  taskIds: string[];
}

/** One message as it arrived. Times are unix milliseconds of the one machine that all this runs on. */
export interface Arrival {
  event: string;
  id: string | null;
  taskId: string;
  status: string;
  at: number;
}

export interface StreamRecord extends StreamPlan {
  /** What the request was answered with; 0: not at all. */
  answer: number;
  arrivals: Arrival[];
  hasEnded: boolean;
  keepAlives: number;
}

/** One event that was caused, by a cancel. */
export interface Cause {
  taskId: string;
  sentAt: number;
  /** When Postgres was about to commit it. */
  committedAt: number;
}

export interface Evidence {
  streams: StreamRecord[];
  causes: Cause[];
  memory: { beforeBytes: number; openBytes: number };
  secondsToOpen: number;
}
