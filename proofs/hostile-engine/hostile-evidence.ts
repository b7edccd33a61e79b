import type { VideoShape } from '@kinora/stack/harness/sample-videos';
import type { End, Protocol } from './mutation.ts';

/** The file of a completed task, downloaded and decoded. */
export interface SeenFile {
  colour: string;
  width: number;
  height: number;
  frameCount: number;
}

/** How one task ended, as its caller saw it. */
export interface SeenTask {
  name: string;
  protocol: Protocol;
  /** The right ends. */
  ends: readonly End[];
  /** Null for a task whose engine told the truth. */
  mutatedResponses: number | null;
  status: string;
  error: { code: string; message: string } | null;
  video: VideoShape | null;
  /** What a completed one must be. */
  expected: { shape: VideoShape; colour: string };
  /** Null where it was not looked at. */
  file: SeenFile | null;
  /** The percentages that were read while it ran, with their attempt. */
  progress: readonly { attempt: number; progress: number }[];
  /** Everything that the API says of it: the task, its timeline and its events. */
  publicText: string;
  seconds: number;
}

export interface SeenRole {
  role: string;
  warmBytes: number;
  peakBytes: number;
  /** It ended although nobody stopped it. */
  hasEnded: boolean;
  fatalLines: readonly string[];
}

export interface Evidence {
  tasks: readonly SeenTask[];
  roles: readonly SeenRole[];
  canaryConnections: readonly string[];
  /** By the hostile server, as answers and over sockets. */
  sentBytes: number;
}
