/** What the proof did to a task while it ran; `none` if it did nothing. */
export type Disruption = 'none' | 'cancelled' | 'engine killed' | "engine's worker killed" | 'worker killed';

export interface Shape {
  width: number;
  height: number;
  fps: number;
  frameCount: number;
}

/** The progress of a task as the API reported it while an attempt ran. */
export interface Sample {
  attempt: number;
  progress: number;
  source: string;
}

export interface ObservedTask {
  name: string;
  disruption: Disruption;
  /** Everything that determines the frames: tasks of the same recipe have the same frames, other tasks do not. */
  recipe: string;
  wanted: Shape & { rendered: string };
  status: string;
  /** The error code of a failed task. */
  code: string | null;
  /** The attempts of the task's timeline, first to last. */
  attempts: { outcome: string | null; takeovers: number }[];
  /** The task's own description of its video. */
  reported: (Shape & { rendered: string }) | null;
  /** The decoded file, with a digest of each frame. */
  file: (Omit<Shape, 'frameCount'> & { digests: string[] }) | null;
  samples: Sample[];
  /** How often each job was submitted to the engine without a refusal. */
  submits: Record<string, number>;
  /** How often the engine began to render each job, by its own log. */
  starts: Record<string, number>;
  /** The progress in percent when the disruption came. */
  progressAtDisruption: number | null;
  /** Seconds until the task was final, from its creation or from the restart of the process that was killed. */
  secondsToEnd: number;
}

export interface ObservedCancel {
  name: string;
  /** The task's status in the response to the cancel. */
  responseStatus: string;
  /** The share of a processor that the engine used in the second before. */
  busyShareBefore: number;
  /** Seconds from the request to the start of the first second in which the engine used next to no processor time. */
  idleAfterSeconds: number | null;
}

export interface Evidence {
  tasks: ObservedTask[];
  cancels: ObservedCancel[];
}
