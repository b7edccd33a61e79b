import type { EventType } from './event.ts';
import type { TaskFailureCode } from './failure.ts';
import type { AspectRatio, GenerationType, ImageFit, Resolution, Warning } from './generation-request.ts';
import type { Amount } from './price.ts';

export type TaskStatus = 'queued' | 'in_progress' | 'completed' | 'failed' | 'cancelled';
export type TaskStage = 'waiting' | 'preparing' | 'rendering' | 'finishing';

/** The request with every default resolved. Nothing in it changes after the task is accepted. */
export interface TaskRequest {
  type: GenerationType;
  model: string;
  pool: string;
  prompt: string;
  negativePrompt: string | null;
  resolution: Resolution;
  aspectRatio: AspectRatio;
  durationSeconds: number;
  seed: number;
  image: TaskImage | null;
  warnings: readonly Warning[];
  metadata: Readonly<Record<string, string>>;
  callbackUrl: string | null;
  callbackEvents: readonly EventType[] | null;
  /** The price by the operator's prices at acceptance; null if there is none, and in test mode. */
  price?: Amount | null | undefined;
}

export interface TaskImage {
  objectKey: string;
  sha256: string;
  width: number;
  height: number;
  fit: ImageFit;
  /** Absent in rows of versions that did not count stored bytes. */
  sizeBytes?: number;
}

/** A delivered video as the row stores it: object keys, never URLs. */
export interface TaskVideo {
  objectKey: string;
  thumbnailKey: string;
  spritesheetKey: string;
  width: number;
  height: number;
  rendered: { width: number; height: number };
  fps: number;
  frameCount: number;
  durationSeconds: number;
  sizeBytes: number;
  /** The bytes of all three files together. Absent in rows of versions that did not count stored bytes. */
  storedBytes?: number;
  sha256: string;
  hasAudio: boolean;
}

export interface TaskError {
  code: TaskFailureCode;
  stage: TaskStage;
}

interface TaskBase extends TaskRequest {
  id: string;
  projectId: string;
  livemode: boolean;
  keyId: string;
  /** Grows with every change of the row. */
  version: number;
  /** The number of the current attempt, from 1. Each retry gets the next number. */
  attempt: number;
  createdAt: Date;
  /** When the first attempt began. */
  startedAt: Date | null;
  /** Seconds of engine time over all attempts that have ended. */
  engineSeconds: number;
  /** When the caller deleted the task. The remaining row is a tombstone without prompt, image and files. */
  deletedAt: Date | null;
}

export type Task = TaskBase &
  (
    | { status: 'queued'; admittedAt: Date | null }
    | { status: 'in_progress'; stage: Exclude<TaskStage, 'waiting'> }
    | { status: 'completed'; completedAt: Date; expiresAt: Date; video: TaskVideo }
    | { status: 'failed'; completedAt: Date; error: TaskError }
    | { status: 'cancelled'; completedAt: Date; stage: TaskStage }
  );

/** All changes of status, applied by compare-and-set: the first writer wins, and a final status never changes. */
export const transitions = {
  /** A slot of an engine endpoint was leased for the task. */
  begin: { from: ['queued'], to: 'in_progress' },
  /** The service retries the task by itself. */
  retry: { from: ['in_progress'], to: 'queued' },
  complete: { from: ['in_progress'], to: 'completed' },
  fail: { from: ['queued', 'in_progress'], to: 'failed' },
  cancel: { from: ['queued', 'in_progress'], to: 'cancelled' },
} as const satisfies Record<string, { from: readonly TaskStatus[]; to: TaskStatus }>;

export type TransitionName = keyof typeof transitions;

export const activeStatuses = ['queued', 'in_progress'] as const satisfies readonly TaskStatus[];

/** Returns whether a status never changes again. */
export function isFinal(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** Only delivered videos are billable, and test mode costs nothing. */
export function isBillable(task: Task): boolean {
  return task.status === 'completed' && task.livemode;
}

/** The highest progress that is estimated. It never claims that a job is nearly done: only the engine knows. */
export const highestEstimate = 95;

/** Returns the stage that callers see. */
export function stageOf(task: Task): TaskStage {
  switch (task.status) {
    case 'queued':
      return 'waiting';
    case 'in_progress':
    case 'cancelled':
      return task.stage;
    case 'failed':
      return task.error.stage;
    case 'completed':
      return 'finishing';
  }
}
