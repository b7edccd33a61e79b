import type { VideoShape } from '@kinora/stack/harness/sample-videos';
import type { End, Protocol } from './mutation.ts';

/** The file of a completed task, downloaded and decoded. */
export interface DecodedFile {
  colour: string;
  width: number;
  height: number;
  frameCount: number;
}

/** How one task ended, as its caller sees it. */
export interface ObservedTask {
  name: string;
  protocol: Protocol;
  /** The correct ends. */
  ends: readonly End[];
  /** Null for a task whose engine is honest. */
  mutatedResponses: number | null;
  status: string;
  error: { code: string; message: string } | null;
  video: VideoShape | null;
  /** The video that a completed task must have. */
  expected: { shape: VideoShape; colour: string };
  /** Null if the file was not downloaded. */
  file: DecodedFile | null;
  /** The percentages that were read while the task ran, with their attempt. */
  progress: readonly { attempt: number; progress: number }[];
  /** The API's responses about the task: the task and its timeline. */
  publicText: string;
  seconds: number;
}

export interface ObservedRole {
  role: string;
  warmBytes: number;
  peakBytes: number;
  /** Whether the process exited although the proof did not stop it. */
  hasEnded: boolean;
  fatalLines: readonly string[];
}

export interface Evidence {
  tasks: readonly ObservedTask[];
  roles: readonly ObservedRole[];
  canaryConnections: readonly string[];
  /** Bytes that the hostile server sent, in responses and over sockets. */
  sentBytes: number;
}
