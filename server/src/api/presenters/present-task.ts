import { taskFailureText } from '../../domain/failure.ts';
import { sizeOf } from '../../domain/size.ts';
import { highestEstimate, isBillable, isFinal, stageOf, type Task, type TaskStage } from '../../domain/task.ts';
import type { TaskView } from '../../domain/task-view.ts';
import { unixSeconds } from '../../http/unix-seconds.ts';
import type { PublicTask } from '../schemas/task-schema.ts';

/** Signed URLs of a task. */
export interface TaskLinks {
  eventsUrl: string | null;
  /** Null if the task has no files, or no longer has them. */
  files: FileLinks | null;
}

/** Signed URLs of the files of a completed task. */
export interface FileLinks {
  videoUrl: string;
  thumbnailUrl: string;
  spritesheetUrl: string;
  urlExpiresAt: Date;
}

const shortestPollMilliseconds = 2000;
const stagesInOrder: readonly TaskStage[] = ['waiting', 'preparing', 'rendering', 'finishing'];

/** Returns a task as callers see it; nothing exposes a task in another way. Without links its URLs are null. */
export function presentTask(view: TaskView, links: TaskLinks | null): PublicTask {
  const { task } = view;
  const size = sizeOf(task.resolution, task.aspectRatio);
  return {
    task_id: task.id,
    id: task.id,
    object: 'video',
    type: task.type,
    livemode: task.livemode,
    status: task.status,
    is_final: isFinal(task.status),
    ...presentProgress(view),
    queue_position: view.forecast?.queuePosition ?? null,
    estimated_completion_at: view.forecast?.expectedEndAt ? unixSeconds(view.forecast.expectedEndAt) : null,
    poll_after_ms: pollAfterMilliseconds(view),
    events_url: links?.eventsUrl ?? null,
    model: task.model,
    prompt: task.prompt,
    negative_prompt: task.negativePrompt,
    resolution: task.resolution,
    aspect_ratio: task.aspectRatio,
    duration: task.durationSeconds,
    seed: task.seed,
    seconds: String(task.durationSeconds),
    size: `${size.width}x${size.height}`,
    image: presentImage(task),
    created_at: unixSeconds(task.createdAt),
    started_at: task.startedAt && unixSeconds(task.startedAt),
    completed_at: 'completedAt' in task ? unixSeconds(task.completedAt) : null,
    expires_at: task.status === 'completed' ? unixSeconds(task.expiresAt) : null,
    video_url: task.status === 'completed' ? (links?.files?.videoUrl ?? null) : null,
    video: presentVideo(task, links?.files ?? null),
    error: task.status === 'failed' ? { ...task.error, ...taskFailureText[task.error.code] } : null,
    usage: presentUsage(task),
    attempt: task.attempt,
    warnings: presentWarnings(view),
    metadata: { ...task.metadata },
  };
}

/** The task for any holder of its signed URL: without the caller's texts, warnings that quote them, and the price. */
export function presentSignedTask(view: TaskView, links: TaskLinks | null): PublicTask {
  return { ...presentTask(view, links), prompt: '', negative_prompt: null, metadata: {}, warnings: [], usage: null };
}

function presentWarnings({ task, forecast }: TaskView): PublicTask['warnings'] {
  const ofRequest = task.warnings.map(({ code, param, message }) => ({ code, param, message }));
  if (!forecast?.isUnserved) return ofRequest;
  const message = `No engine serves ${task.model} at present. The task starts when one does.`;
  return [...ofRequest, { code: 'model_not_served', param: 'model', message }];
}

function presentProgress({ task, live }: TaskView): Pick<PublicTask, 'stage' | 'progress' | 'progress_source'> {
  // Progress of an earlier attempt does not apply to this one.
  const reported = live?.attempt === task.attempt ? live : null;
  const progress_source = reported?.progressSource ?? 'none';
  const ofRow = stageOf(task);
  if (task.status === 'queued') return { stage: ofRow, progress: 0, progress_source: 'none' };
  if (task.status === 'completed') return { stage: ofRow, progress: 100, progress_source };
  const stage = task.status === 'in_progress' ? laterStage(ofRow, reported?.stage) : ofRow;
  // The engine has said by then that it is done, whatever it reported before: a short job may end before its first report.
  if (stage === 'finishing') {
    if (progress_source === 'estimated') return { stage, progress: highestEstimate, progress_source };
    return { stage, progress: 99, progress_source: 'engine' };
  }
  return { stage, progress: Math.min(99, Math.max(0, Math.floor(reported?.progress ?? 0))), progress_source };
}

/** Returns the later stage. Not every step is written to the row, so a report may be ahead of it; neither goes back. */
function laterStage(ofRow: TaskStage, reported: TaskStage | undefined): TaskStage {
  return reported && stagesInOrder.indexOf(reported) > stagesInOrder.indexOf(ofRow) ? reported : ofRow;
}

/** Returns the interval at which polling all active tasks uses half of the allowed reads. */
export function pollAfterMilliseconds({
  activeTasks,
  readsPerMinute,
}: Pick<TaskView, 'activeTasks' | 'readsPerMinute'>): number {
  return Math.max(shortestPollMilliseconds, Math.ceil((2 * activeTasks * 60_000) / readsPerMinute));
}

function presentImage({ image }: Task): PublicTask['image'] {
  return image && { sha256: image.sha256, width: image.width, height: image.height, fit: image.fit };
}

function presentVideo(task: Task, links: FileLinks | null): PublicTask['video'] {
  if (task.status !== 'completed') return null;
  const { video } = task;
  return {
    url: links?.videoUrl ?? null,
    url_expires_at: links && unixSeconds(links.urlExpiresAt),
    content_type: 'video/mp4',
    width: video.width,
    height: video.height,
    rendered: { width: video.rendered.width, height: video.rendered.height },
    fps: video.fps,
    frame_count: video.frameCount,
    duration: video.durationSeconds,
    size_bytes: video.sizeBytes,
    sha256: video.sha256,
    has_audio: video.hasAudio,
    thumbnail_url: links?.thumbnailUrl ?? null,
    spritesheet_url: links?.spritesheetUrl ?? null,
    provenance: null,
  };
}

function presentUsage(task: Task): PublicTask['usage'] {
  if (!isFinal(task.status)) return null;
  const isCompleted = task.status === 'completed';
  return {
    engine_seconds: Math.round(task.engineSeconds * 1000) / 1000,
    video_seconds: isCompleted ? task.durationSeconds : 0,
    billable: isBillable(task),
    ...(isBillable(task) && task.price ? { price: { amount: task.price.amount, currency: task.price.currency } } : {}),
  };
}
