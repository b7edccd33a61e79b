/** What was done to a task while it ran; `none` where it was left alone. */
export type Blow = 'none' | 'cancelled' | 'engine killed' | "engine's worker killed" | 'worker killed';

export interface Shape {
  width: number;
  height: number;
  fps: number;
  frameCount: number;
}

/** A task as it was shown while an attempt ran. */
export interface Sample {
  attempt: number;
  progress: number;
  source: string;
}

export interface SeenTask {
  name: string;
  blow: Blow;
  /** All that decides its frames: tasks of one recipe show the same, tasks of two do not. */
  recipe: string;
  wanted: Shape & { rendered: string };
  status: string;
  /** The code of its error. */
  code: string | null;
  /** What the timeline says, first to last. */
  attempts: { outcome: string | null; takeovers: number }[];
  /** What the task says of its video. */
  said: (Shape & { rendered: string }) | null;
  /** What the file itself holds, decoded, with a digest of each frame. */
  file: (Omit<Shape, 'frameCount'> & { digests: string[] }) | null;
  samples: Sample[];
  /** How often the engine was handed each of its jobs without refusing it. */
  submits: Record<string, number>;
  /** How often the engine began to render each of them, by its own log. */
  starts: Record<string, number>;
  /** How far it was when the blow fell. */
  progressAtBlow: number | null;
  /** Until it was final: from its creation, or from when what had been killed was there again. */
  secondsToEnd: number;
}

export interface SeenCancel {
  name: string;
  /** What the cancel was answered with. */
  answered: string;
  /** The share of a processor that the engine used in the second before. */
  busyShareBefore: number;
  /** From the request to the first moment of a whole second in which the engine used next to no processor time. */
  idleAfterSeconds: number | null;
}

export interface Evidence {
  tasks: SeenTask[];
  cancels: SeenCancel[];
}
