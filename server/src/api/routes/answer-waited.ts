import type { FastifyReply, FastifyRequest } from 'fastify';
import { isFinal } from '../../domain/task.ts';
import type { TaskView } from '../../domain/task-view.ts';
import { AppError } from '../../errors.ts';
import type { CreatedTask } from '../../operations/tasks/create-task.ts';
import type { ApiParts } from '../api-parts.ts';
import { callerOf } from '../requests/caller-of.ts';
import { notePreference, preferredWaitSeconds } from '../requests/prefer.ts';
import { answerCreated } from './answer-created.ts';
import { answerTask } from './answer-task.ts';

export type WaitingParts = Pick<ApiParts, 'readTask' | 'links' | 'signer' | 'log' | 'clock'>;

/**
 * Answers a create: at once, with the creation answer; or, where the caller prefers to wait, with the task as it is at the end
 * of that time.
 */
export async function answerCreate(
  request: FastifyRequest,
  reply: FastifyReply,
  created: CreatedTask,
  parts: WaitingParts,
): Promise<FastifyReply> {
  const seconds = preferredWaitSeconds(request.headers.prefer);
  if (seconds === null) return answerCreated(reply, created, parts);
  // The answer is not out yet, but whoever waits for the end wants the beginning.
  request.answered?.();
  request.answered = null;
  try {
    const view = await readAfterWait(request, reply, created.taskId, seconds, parts);
    notePreference(reply, `wait=${seconds}`);
    return await answerTask(request, reply, view, parts);
  } catch (error) {
    if (error instanceof AppError && error.code === 'task_deleted') throw error;
    // The task is made: a caller who is told otherwise makes another one.
    return answerCreated(reply, created, parts);
  }
}

/** A task once it is final, or as it is when the time is over. */
export async function readAfterWait(
  request: FastifyRequest,
  reply: FastifyReply,
  taskId: string,
  seconds: number,
  { readTask }: Pick<WaitingParts, 'readTask'>,
): Promise<TaskView> {
  const caller = callerOf(request);
  const view = await readTask(caller, taskId);
  if (seconds === 0 || isFinal(view.task.status)) return view;
  await request.server.waitForEnd(reply, caller, taskId, seconds);
  return readTask(caller, taskId);
}
