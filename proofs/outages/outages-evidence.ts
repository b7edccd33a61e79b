import type { StubJob } from '@kinora/stack/harness/stub-engine';

/** A span of time in milliseconds since 1970. */
export interface Span {
  from: number;
  until: number;
}

export interface TaskEvidence {
  taskId: string;
  pool: string;
  /** How the task ends if nothing goes wrong; the prompt decides that. */
  wanted: 'video' | 'rejection';
  status: string;
  /** The error code of a failed task. */
  code: string | null;
  /** The size of the downloaded video. */
  videoBytes: number;
}

export interface EngineEvidence {
  name: string;
  pool: string;
  slots: number;
  /** The fault that the proof caused, and when; null for a healthy endpoint. */
  fault: { kind: 'killed' | 'stalled' | 'out of memory'; span: Span } | null;
  /** All jobs that it accepted, by its own records. */
  jobs: readonly Readonly<StubJob>[];
  /** How many jobs it accepted after all outages were over. */
  jobsAfterwards: number;
}

export interface Evidence {
  tasks: TaskEvidence[];
  engines: EngineEvidence[];
  /** Each span is from the signal to the old worker until the new one works. */
  restarts: Span[];
  /** When the machine itself stood still. */
  stalls: Span[];
  /** For each pool, the time from the creation to the start of its last task, in which a task always waited. */
  crowded: Record<string, Span>;
}
