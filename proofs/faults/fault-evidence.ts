/** What a run observed, as plain data for the judges. Times are unix milliseconds by the clock of the proof. */
export interface FaultEvidence {
  tasks: CallerTask[];
  submits: Submit[];
  probes: Probe[];
  /** When rounds of the reconciler ended. */
  roundsEndedAt: number[];
  /** What happened in these spans is missing from the database, because it was replaced by an older one. */
  rolledBack: { from: number; until: number }[];
  /** The events in the database at the end. */
  events: { taskId: string; type: string }[];
}

/** A task as its caller experienced it. */
export interface CallerTask {
  taskId: string;
  /** When the caller sent the first request for it, and when it got the response 200. */
  askedAt: number;
  answeredAt: number;
  /** Every distinct status that the caller read, in order; `missing` if the response was 404. The last one is final. */
  statuses: { status: string; at: number }[];
  /** The hash of the video that the caller downloaded at the end; null if there was none. */
  videoSha256: string | null;
}

/** A job that an engine accepted. */
export interface Submit {
  /** The task and the attempt: `task_…-1`. */
  jobId: string;
  endpoint: string;
  at: number;
}

/** How the installation worked right after a fault. */
export interface Probe {
  fault: string;
  /** When the fault was over. */
  at: number;
  /** Seconds until a task that was created after the fault had been completed by the endpoint; null if none was. */
  secondsOf: Record<string, number | null>;
  /** Seconds until 100 reads in a row had begun that each responded with 200 in less than a second; null if never. */
  readsAfterSeconds: number | null;
}
