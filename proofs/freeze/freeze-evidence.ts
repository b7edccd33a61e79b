import type { Submit } from '../faults/fault-evidence.ts';

/** Everything that a run did and found, as plain data for the judge. Times are milliseconds since 1970. */
export interface FreezeEvidence {
  faults: Fault[];
  checks: Check[];
  tasks: TaskEvidence[];
  attempts: AttemptEvidence[];
  /** Which worker process began an attempt or took it over, by the workers' logs. */
  holders: Holder[];
  /** The jobs that the engines logged as accepted. */
  submits: Pick<Submit, 'jobId' | 'endpoint'>[];
  /** Rows of tasks that no client has an id of. */
  strangers: string[];
  /** Finished files that were in the store at some moment, and those that are there at the end. */
  objectsSeen: string[];
  objectsLeft: string[];
}

export const targets = ['worker', 'relay', 'api', 'engine', 'postgres', 'temporal', 's3'] as const;
export type Target = (typeof targets)[number];

/** A frozen process, or a worker whose host vanished: its connections stay open, and a successor starts at once. */
export interface Fault {
  kind: 'freeze' | 'vanish';
  target: Target;
  /** The main process. */
  pid: number;
  from: number;
  /** When it went on; for a worker that vanished, when it was killed. */
  until: number;
}

/** What clients and operators saw from a moment on; null stands for "not within the limit". */
export interface Check {
  at: number;
  /** Seconds until each endpoint whose engine was not frozen had completed a task that was created after `at`. */
  probeSeconds: Record<string, number | null>;
  /** Seconds until the first of 100 reads in a row that the API served within 1 s each. */
  readSeconds: number | null;
  /** Seconds until a relay had ended a round of the reconciler. */
  roundSeconds: number | null;
}

export interface TaskEvidence {
  taskId: string;
  /** Tasks with the same picture asked for the same video, and the engine draws it the same way each time. */
  picture: string;
  /** `unknown` if the response to its cancel was lost: then the cancel may have been committed or not. */
  cancel: 'none' | 'confirmed' | 'unknown';
  /** Null if there is no such row. */
  status: string | null;
  code: string | null;
  sha256: string | null;
  /** The finished files that its row names. */
  objectKeys: string[];
}

export interface AttemptEvidence {
  taskId: string;
  attempt: number;
  outcome: string | null;
}

/** Which worker process began an attempt, or took it over. */
export interface Holder {
  at: number;
  pid: number;
  taskId: string;
  attempt: number;
  isTakeover: boolean;
}
