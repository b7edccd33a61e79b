import type { EventType } from './event.ts';
import type { TaskFailureCode } from './failure.ts';
import type { AspectRatio, GenerationType, ImageFit, Resolution, Warning } from './generation-request.ts';
import type { Amount } from './price.ts';

export type TaskStatus = 'queued' | 'in_progress' | 'completed' | 'failed' | 'cancelled';
export type TaskStage = 'waiting' | 'preparing' | 'rendering' | 'finishing';

/** What was asked for, resolved: nothing in here changes after the task is accepted. */
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
  /** What it costs by the operator's price when it was accepted; null where there is none, and in test mode. */
  price?: Amount | null | undefined;
}

export interface TaskImage {
  objectKey: string;
  sha256: string;
  width: number;
  height: number;
  fit: ImageFit;
}

/** A delivered video as the row keeps it: object keys, never URLs. */
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
  /** The number of this try, from 1. Every begin has its own. */
  attempt: number;
  createdAt: Date;
  /** When the first attempt began. */
  startedAt: Date | null;
  /** Seconds of engine time over all attempts that have ended. */
  engineSeconds: number;
  /** When its caller deleted it; what is left is a tombstone without prompt, image and files. */
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

/**
 * Every change of status there is. The database applies them by compare-and-set: a row that is not in one of `from` stays
 * as it is, so whoever comes first wins and a final status never changes.
 */
export const transitions = {
  /** An engine's slot was taken for it. */
  begin: { from: ['queued'], to: 'in_progress' },
  /** The service itself tries again. */
  retry: { from: ['in_progress'], to: 'queued' },
  complete: { from: ['in_progress'], to: 'completed' },
  fail: { from: ['queued', 'in_progress'], to: 'failed' },
  cancel: { from: ['queued', 'in_progress'], to: 'cancelled' },
} as const satisfies Record<string, { from: readonly TaskStatus[]; to: TaskStatus }>;

export type TransitionName = keyof typeof transitions;

export const activeStatuses = ['queued', 'in_progress'] as const satisfies readonly TaskStatus[];

/** Whether a status is one that never changes again. */
export function isFinal(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** Only what was delivered is billable, and test mode costs nothing. */
export function isBillable(task: Task): boolean {
  return task.status === 'completed' && task.livemode;
}

/** The stage that callers see. */
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
