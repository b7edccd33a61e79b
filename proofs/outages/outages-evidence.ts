import type { StubJob } from '@kinora/stack/harness/stub-engine';

/** A span of time in milliseconds since 1970. */
export interface Span {
  from: number;
  until: number;
}

export interface TaskEvidence {
  taskId: string;
  pool: string;
  /** What the engine makes of its prompt when nothing goes wrong. */
  wanted: 'video' | 'rejection';
  status: string;
  /** The code of its error. */
  code: string | null;
  /** Bytes of the delivered video, as they were read back. */
  videoBytes: number;
}

export interface EngineEvidence {
  name: string;
  pool: string;
  slots: number;
  /** What was done to it, and when. */
  fault: { kind: 'killed' | 'stalled' | 'out of memory'; span: Span } | null;
  /** Everything it took, by its own records. */
  jobs: readonly Readonly<StubJob>[];
  /** How many jobs it took once all outages were over. */
  jobsAfterwards: number;
}

export interface Evidence {
  tasks: TaskEvidence[];
  engines: EngineEvidence[];
  /** From the signal to the old worker until the new one is at work. */
  restarts: Span[];
  /** For each pool, from when all its tasks were there until the last of them had begun: somebody waited all the time. */
  crowded: Record<string, Span>;
}
