import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Caller } from '../../domain/caller.ts';
import { isFinal } from '../../domain/task.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import type { ApiParts } from '../api-parts.ts';
import type { LongLivedRequests } from './long-lived-requests.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Resolves when a task is final or deleted, the time is over, the caller is gone or the server closes: then the task is
     * to be read again. Nothing is polled meanwhile. Throws when the key is no longer let in.
     */
    waitForEnd(reply: FastifyReply, caller: Caller, taskId: string, seconds: number): Promise<void>;
  }
}

/** Lets routes wait for the end of a task, through the hub and within the bounds of what may last. */
export function waitForEnds(app: FastifyInstance, { hub }: Pick<ApiParts, 'hub'>, lasting: LongLivedRequests): void {
  app.decorate('waitForEnd', (reply, caller, taskId, seconds) => {
    return new Promise((resolve, reject) => {
      const { projectId, livemode, keyId } = caller;
      const stop = (refusal: ErrorCode | null): void => {
        release();
        unwatch();
        clearTimeout(timer);
        reply.raw.off('close', onGone);
        if (refusal === null) resolve();
        else reject(new AppError(refusal));
      };
      const onGone = (): void => stop(null);
      const end = (refusal: ErrorCode | null): void => {
        // A server that closes would otherwise wait for the next request on this connection.
        reply.header('connection', 'close');
        stop(refusal);
      };
      const release = lasting.add({ owner: { projectId, livemode }, keyId, end });
      const timer = setTimeout(onGone, seconds * 1000);
      reply.raw.once('close', onGone);
      const unwatch = hub.watchTask(taskId, (view) => {
        if (view === null || isFinal(view.task.status)) stop(null);
      });
    });
  });
}
