import type { AnyTask, Event, Video } from './generated/types.ts';

/** Fields that depend on the status of a task. */
type DependingFields = 'status' | 'is_final' | 'video' | 'video_url' | 'error' | 'completed_at' | 'expires_at';

interface NoVideo {
  video_url: null;
  video: null;
  expires_at: null;
}

interface Unfinished extends NoVideo {
  status: 'queued' | 'in_progress';
  is_final: false;
  error: null;
  completed_at: null;
}

interface Completed {
  status: 'completed';
  is_final: true;
  /** The same as `video.url`. */
  video_url: string | null;
  /** The delivered video. Its URLs are null once its files have expired. */
  video: Video;
  error: null;
  /** When the video was ready. Unix seconds. */
  completed_at: number;
  /** When the files are deleted. Unix seconds. */
  expires_at: number;
}

interface Failed extends NoVideo {
  status: 'failed';
  is_final: true;
  /** Why the task failed, and whether a new task of the same request may succeed. */
  error: NonNullable<AnyTask['error']>;
  /** When the task failed. Unix seconds. */
  completed_at: number;
}

interface Cancelled extends NoVideo {
  status: 'cancelled';
  is_final: true;
  error: null;
  /** When the task was cancelled. Unix seconds. */
  completed_at: number;
}

type With<Fields> = Omit<AnyTask, DependingFields> & Fields;

/** A task that is waiting or running. */
export type UnfinishedTask = With<Unfinished>;
/** A task with a video. */
export type CompletedTask = With<Completed>;
/** A task that failed; `error` says why. */
export type FailedTask = With<Failed>;
/** A task that was cancelled before it completed. */
export type CancelledTask = With<Cancelled>;

/** A generation task. Its `status` tells which fields it has: `if (task.status === 'completed') task.video.url`. */
export type Task = UnfinishedTask | CompletedTask | FailedTask | CancelledTask;

/** A completed task whose video can be downloaded now. */
export type DeliveredTask = CompletedTask & {
  video_url: string;
  video: { url: string; url_expires_at: number; thumbnail_url: string; spritesheet_url: string };
};

/** A task or its id. */
export type TaskReference = string | { readonly id: string };

/** Something that happened to a task. If the task was deleted since, `data` has `deleted: true` and no more than ids. */
export type KinoraEvent = Omit<Event, 'data'> & {
  /** The task as it was then. An event of more than 20 kB leaves out the prompts and has `shortened: true`. */
  data: TaskOfEvent | Extract<Event['data'], { deleted: true }>;
};

/** The event that `webhookEndpoints.test` sends. It is about no task. */
export interface TestEvent {
  id: string;
  type: 'webhook.test';
  /** When the test was requested. Unix seconds. */
  created_at: number;
  data: { object: 'webhook_test'; endpoint_id: string | null; livemode: boolean };
}

/** What a webhook delivers. */
export type WebhookEvent = KinoraEvent | TestEvent;

type Prompts = Pick<AnyTask, 'prompt' | 'negative_prompt'>;
type WithoutPrompts<Each> = Each extends Task ? Omit<Each, keyof Prompts> & Partial<Prompts> : never;
type TaskOfEvent = WithoutPrompts<Task>;
