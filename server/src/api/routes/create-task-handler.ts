import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Catalogue } from '../../domain/catalogue.ts';
import { AppError } from '../../errors.ts';
import { emptyBody } from '../../http/parse-json-bodies.ts';
import type { CreatedTask, CreateTaskInput } from '../../operations/tasks/create-task.ts';
import type { ApiParts } from '../api-parts.ts';
import { callerOf } from '../requests/caller-of.ts';
import { notePreference, preferredWaitSeconds, prefers } from '../requests/prefer.ts';
import { readIdempotency } from '../requests/read-idempotency.ts';
import { readAfterWait, sendCreatedTask, sendTask } from './send-task.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Called once the response is sent. */
    onSent: (() => void) | null;
  }
}

export type CreateParts = Pick<
  ApiParts,
  | 'createTask'
  | 'readTask'
  | 'catalogue'
  | 'allowHttpImages'
  | 'refusalOfUrl'
  | 'promptWarning'
  | 'links'
  | 'signer'
  | 'log'
  | 'clock'
>;

/** What every reader of a body needs, whatever the format of the body. */
interface ReadOptions {
  catalogue: Catalogue;
  isStrict: boolean;
  allowHttpImages: boolean;
  refusalOfUrl: ApiParts['refusalOfUrl'];
  livemode: boolean;
  promptWarning: ApiParts['promptWarning'];
}

type RequestedTask = Pick<CreateTaskInput, 'type' | 'request' | 'warnings' | 'upload'>;

/** Returns the handler of every create. `read` reads the body. The route must call `request.onSent` on response. */
export function createTaskHandler(parts: CreateParts, read: (body: unknown, options: ReadOptions) => RequestedTask) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (request.body === undefined) throw emptyBody();
    const caller = callerOf(request);
    const isStrict = prefers(request.headers.prefer, 'handling', 'strict');
    const { allowHttpImages, refusalOfUrl, promptWarning } = parts;
    const { livemode } = caller;
    const catalogue = parts.catalogue();
    const requested = read(request.body, {
      catalogue,
      isStrict,
      allowHttpImages,
      refusalOfUrl,
      livemode,
      promptWarning,
    });
    const idempotency = readIdempotency(request, { type: requested.type, request: requested.request });

    const created = await parts.createTask({ caller, ...requested, idempotency });
    request.onSent = created.onSent;
    request.taskId = created.taskId;
    if (created.isReplayed) reply.header('idempotent-replayed', 'true');
    if (created.createAllowedAt) request.countAsCreate?.(created.createAllowedAt);
    if (isStrict) notePreference(reply, 'handling=strict');

    const seconds = preferredWaitSeconds(request.headers.prefer);
    if (seconds === null) return sendCreatedTask(reply, created, parts);
    return waitAndSend(request, reply, created, seconds, parts);
  };
}

/** Sends the task as it is at the end of the time that the caller prefers to wait. */
async function waitAndSend(
  request: FastifyRequest,
  reply: FastifyReply,
  created: CreatedTask,
  seconds: number,
  parts: CreateParts,
): Promise<FastifyReply> {
  // Nothing is sent yet, but a caller that waits for the end wants the task to start now.
  request.onSent?.();
  request.onSent = null;
  // An image in the body must not take up memory, and a share of the project's bodies, while the caller waits.
  request.body = undefined;
  request.releaseBody?.();
  try {
    const view = await readAfterWait(request, reply, created.taskId, seconds, parts);
    notePreference(reply, `wait=${seconds}`);
    return await sendTask(request, reply, view, parts);
  } catch (error) {
    if (error instanceof AppError && error.code === 'task_deleted') throw error;
    // The task exists: a caller that gets an error would create another one.
    return sendCreatedTask(reply, created, parts);
  }
}
