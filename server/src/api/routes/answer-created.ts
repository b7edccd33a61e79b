import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CreatedTask } from '../../operations/tasks/create-task.ts';
import type { ApiParts } from '../api-parts.ts';
import { showCreateTaken } from '../hooks/count-requests.ts';
import { createEventsUrl } from '../presenters/task-links.ts';
import type { PublicTask } from '../schemas/task-schema.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What is to happen once the answer is out. */
    answered: (() => void) | null;
  }
}

/** Of every answer to a create, whether it is the creation answer or, after a wait, the task as it is. */
export function noteCreated(
  request: FastifyRequest,
  reply: FastifyReply,
  created: CreatedTask,
  { clock }: Pick<ApiParts, 'clock'>,
): void {
  request.answered = created.answered;
  request.taskId = created.taskId;
  if (created.isReplayed) reply.header('idempotent-replayed', 'true');
  if (created.createAllowedAt) showCreateTaken(request, reply, created.createAllowedAt, clock);
}

/** Sends the creation answer: the stored text, also the first time, with nothing but the signed URL put in. */
export function answerCreated(
  reply: FastifyReply,
  { taskId, answer }: CreatedTask,
  parts: Pick<ApiParts, 'signer' | 'clock'>,
): FastifyReply {
  // The text is what presentTask made of the task.
  const task: PublicTask = { ...(JSON.parse(answer) as PublicTask), events_url: createEventsUrl(parts)(taskId) };
  reply.headers({ 'cache-control': 'private, no-cache', 'openai-poll-after-ms': String(task.poll_after_ms) });
  return reply.send(task);
}
