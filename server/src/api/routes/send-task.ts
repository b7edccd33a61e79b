import type { FastifyReply, FastifyRequest } from 'fastify';
import { isFinal } from '../../domain/task.ts';
import type { TaskView } from '../../domain/task-view.ts';
import type { CreatedTask } from '../../operations/tasks/create-task.ts';
import type { ApiParts } from '../api-parts.ts';
import { presentWithLinks } from '../presenters/present-with-links.ts';
import { createEventsUrl } from '../presenters/task-links.ts';
import { callerOf } from '../requests/caller-of.ts';
import { isUnchanged } from '../requests/is-unchanged.ts';
import type { PublicTask } from '../schemas/task-schema.ts';

const halfHourMilliseconds = 30 * 60 * 1000;

/** Sends a task; a GET whose caller already has this state gets 304. */
export async function sendTask(
  request: FastifyRequest,
  reply: FastifyReply,
  view: TaskView,
  parts: Pick<ApiParts, 'links' | 'log' | 'clock'>,
): Promise<FastifyReply> {
  const { task, links } = await presentWithLinks(view, parts);
  showPollAfter(reply, task);
  if (request.method === 'POST') return reply.send(task);

  const isUnsigned = links === null || (task.status === 'completed' && links.files === null);
  if (isUnsigned) return reply.send(task);
  const etag = etagOf(view, task, parts.clock.now());
  reply.header('etag', etag);
  return isUnchanged(request.headers['if-none-match'], etag) ? reply.code(304).send() : reply.send(task);
}

/** Sends the text that was stored at the create, so that a replay is identical; only the signed URL is added. */
export function sendCreatedTask(
  reply: FastifyReply,
  { taskId, response }: CreatedTask,
  parts: Pick<ApiParts, 'signer' | 'clock'>,
): FastifyReply {
  // The text is the output of presentTask.
  const task: PublicTask = { ...(JSON.parse(response) as PublicTask), events_url: createEventsUrl(parts)(taskId) };
  showPollAfter(reply, task);
  return reply.send(task);
}

/** Reads a task once it is final, or as it is when the time is over. */
export async function readAfterWait(
  request: FastifyRequest,
  reply: FastifyReply,
  taskId: string,
  seconds: number,
  { readTask }: Pick<ApiParts, 'readTask'>,
): Promise<TaskView> {
  const caller = callerOf(request);
  const view = await readTask(caller, taskId, request.foundTask);
  if (seconds === 0 || isFinal(view.task.status)) return view;
  await request.server.waitForEnd(reply, caller, taskId, seconds);
  return readTask(caller, taskId);
}

function showPollAfter(reply: FastifyReply, task: PublicTask): void {
  reply.headers({ 'cache-control': 'private, no-cache', 'openai-poll-after-ms': String(task.poll_after_ms) });
}

/** Tags the version, the progress, the forecast and the half hour: after a 304, URLs are still valid for 30 minutes. */
function etagOf({ task: { version } }: TaskView, task: PublicTask, now: Date): string {
  const halfHour = Math.floor(now.getTime() / halfHourMilliseconds);
  const { stage, progress, queue_position: position, estimated_completion_at: end } = task;
  const unversioned = task.is_final
    ? ''
    : `-${stage}-${progress}-${position ?? ''}-${end ?? ''}-${task.warnings.length}`;
  return `W/"${version}-${halfHour}${unversioned}"`;
}
