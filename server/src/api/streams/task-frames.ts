import type { TaskView } from '../../domain/task-view.ts';
import type { ApiParts } from '../api-parts.ts';
import { presentWithLinks } from '../presenters/present-with-links.ts';
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

export type RenderTask = (view: TaskView) => Promise<TaskFrame>;

/** Renders a view once, however many streams it goes to: the hub hands the same object to all of them. */
export function createTaskFrames(parts: Pick<ApiParts, 'links' | 'log'>): RenderTask {
  const rendered = new WeakMap<TaskView, Promise<TaskFrame>>();
  return (view) => {
    const known = rendered.get(view);
    if (known) return known;
    const frame = render(view, parts);
    rendered.set(view, frame);
    return frame;
  };
}

async function render(view: TaskView, parts: Pick<ApiParts, 'links' | 'log'>): Promise<TaskFrame> {
  const { version } = view.task;
  const { task } = await presentWithLinks(view, parts);
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
