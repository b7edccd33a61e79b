import type { TaskView } from '../../domain/task-view.ts';
import type { ApiParts } from '../api-parts.ts';
import { presentSignedTask, presentTask } from '../presenters/present-task.ts';
import { signLinks } from '../presenters/present-with-links.ts';
import { eventMessage } from './event-stream.ts';

/** A task as it goes out in event streams. */
export interface TaskFrame {
  version: number;
  isFinal: boolean;
  progress: number;
  /** Equal for two frames with the same content, apart from signed URLs, which are new in each frame. */
  fingerprint: string;
  /** For the task's own stream: its version is the id. */
  message: Buffer;
  /** For the project's stream, where only events have ids. */
  messageWithoutId: Buffer;
}

/** Renders a task for its callers or, until the signature expires, for the holders of a signed URL. */
export type RenderTask = (view: TaskView, signedUntil?: Date) => Promise<TaskFrame>;

/** Renders a view once for all callers, and once for all holders of URLs that expire at the same time. */
export function createTaskFrames(parts: Pick<ApiParts, 'links' | 'log'>): RenderTask {
  const rendered = new WeakMap<TaskView, Map<number | undefined, Promise<TaskFrame>>>();
  return (view, signedUntil) => {
    const frames = rendered.get(view) ?? new Map<number | undefined, Promise<TaskFrame>>();
    rendered.set(view, frames);
    const frame = frames.get(signedUntil?.getTime()) ?? render(view, parts, signedUntil);
    frames.set(signedUntil?.getTime(), frame);
    return frame;
  };
}

async function render(
  view: TaskView,
  parts: Pick<ApiParts, 'links' | 'log'>,
  signedUntil: Date | undefined,
): Promise<TaskFrame> {
  const { version } = view.task;
  const links = await signLinks(view, parts, signedUntil);
  const task = signedUntil ? presentSignedTask(view, links) : presentTask(view, links);
  const data = JSON.stringify(task);
  return {
    version,
    isFinal: task.is_final,
    progress: task.progress,
    fingerprint: [version, task.stage, task.progress, task.progress_source, task.queue_position].join(' '),
    message: eventMessage({ id: String(version), event: 'task', data }),
    messageWithoutId: eventMessage({ event: 'task', data }),
  };
}
