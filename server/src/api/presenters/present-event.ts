import type { TaskEvent } from '../../domain/event.ts';
import { taskAtEvent } from '../../domain/task-at-event.ts';
import type { TaskView } from '../../domain/task-view.ts';
import type { PublicEvent } from '../schemas/event-schema.ts';
import { presentTask, type TaskLinks } from './present-task.ts';

const longestBodyBytes = 20_000;

/** Returns the body of an event, the same for webhooks and streams: what happened, and the task as it was then. */
export function presentEvent(event: TaskEvent, view: TaskView, links: TaskLinks | null): PublicEvent {
  const task = taskAtEvent(view.task, event);
  const head = { id: event.id, type: event.type, created_at: Math.floor(event.createdAt.getTime() / 1000) };
  if (task.deletedAt !== null) {
    return { ...head, data: { task_id: task.id, id: task.id, object: 'video', status: task.status, deleted: true } };
  }
  // Progress that is reported now says nothing about the moment at which the task started.
  const live = event.type === 'video.started' ? null : view.live;
  // An event describes one moment and may be sent again, so the current forecast is not part of it.
  const data = presentTask({ ...view, task, live, forecast: undefined }, links);
  const body = { ...head, data };
  if (Buffer.byteLength(JSON.stringify(body)) <= longestBodyBytes) return body;
  const { prompt: _, negative_prompt: __, ...rest } = data;
  return { ...head, data: rest, shortened: true };
}
