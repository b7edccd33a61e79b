import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TaskView } from '../../domain/task-view.ts';
import type { ApiParts } from '../api-parts.ts';
import { presentWithLinks } from '../presenters/present-with-links.ts';
import { isUnchanged } from '../requests/is-unchanged.ts';
import { rateLimitHeaders } from '../schemas/create-headers.ts';
import type { PublicTask } from '../schemas/task-schema.ts';

type Parts = Pick<ApiParts, 'links' | 'log' | 'clock'>;

/** Of a task's answer, for the documentation. */
export const taskHeaders = {
  'openai-poll-after-ms': { type: 'integer', description: 'The same as poll_after_ms.' },
  'x-request-id': { type: 'string' },
  ...rateLimitHeaders,
};

const halfHourMilliseconds = 30 * 60 * 1000;

/** Sends a task, or on a GET only word that the caller has it already. */
export async function answerTask(
  request: FastifyRequest,
  reply: FastifyReply,
  view: TaskView,
  parts: Parts,
): Promise<FastifyReply> {
  const { task, links } = await presentWithLinks(view, parts);
  reply.headers({ 'cache-control': 'private, no-cache', 'openai-poll-after-ms': String(task.poll_after_ms) });
  if (request.method === 'POST') return reply.send(task);

  const isUnsigned = links === null || (task.status === 'completed' && links.files === null);
  if (isUnsigned) return reply.send(task);
  const etag = etagOf(view, task, parts.clock.now());
  reply.header('etag', etag);
  return isUnchanged(request.headers['if-none-match'], etag) ? reply.code(304).send() : reply.send(task);
}

/**
 * The task's version, with the progress and the outlook that are kept beside the row, and the half hour, so that a 304 never
 * leaves a caller with a URL of less than 30 minutes.
 */
function etagOf({ task: { version } }: TaskView, task: PublicTask, now: Date): string {
  const halfHour = Math.floor(now.getTime() / halfHourMilliseconds);
  const { stage, progress, queue_position: position, estimated_completion_at: end } = task;
  const beside = task.is_final ? '' : `-${stage}-${progress}-${position ?? ''}-${end ?? ''}`;
  return `W/"${version}-${halfHour}${beside}"`;
}
