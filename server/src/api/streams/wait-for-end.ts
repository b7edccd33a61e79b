import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Caller } from '../../domain/caller.ts';
import { isFinal } from '../../domain/task.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import type { ApiParts } from '../api-parts.ts';
import { accessOfCaller, type LongLivedRequests } from './long-lived-requests.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Resolves without polling when the task is final or deleted, the time is up, the token expires, or the caller or
     * the server closes; the route then reads the task again. Rejects if the key is no longer accepted.
     */
    waitForEnd(reply: FastifyReply, caller: Caller, taskId: string, seconds: number): Promise<void>;
  }
}

/** Lets routes wait for the end of a task through the hub, within the limits of long-lived requests. */
export function decorateWaitForEnd(
  app: FastifyInstance,
  { hub, clock }: Pick<ApiParts, 'hub' | 'clock'>,
  longLived: LongLivedRequests,
): void {
  app.decorate('waitForEnd', (reply, caller, taskId, seconds) => {
    return new Promise((resolve, reject) => {
      const { projectId, livemode, tokenExpiresAt } = caller;
      const settle = (refusal: ErrorCode | null): void => {
        release();
        unwatch();
        clearTimeout(timer);
        reply.raw.off('close', onTimeoutOrClose);
        if (refusal === null) resolve();
        else reject(new AppError(refusal));
      };
      const onTimeoutOrClose = (): void => settle(null);
      const endByServer = (refusal: ErrorCode | null): void => {
        // Otherwise a closing server would wait for the next request on this connection.
        reply.header('connection', 'close');
        settle(refusal);
      };
      // A token that expires ends the wait without an error: it worked when the wait began.
      const access = { ...accessOfCaller(caller), until: null };
      const release = longLived.add({ owner: { projectId, livemode }, access, end: endByServer });
      const left = tokenExpiresAt ? tokenExpiresAt.getTime() - clock.now().getTime() : Number.POSITIVE_INFINITY;
      const timer = setTimeout(onTimeoutOrClose, Math.min(seconds * 1000, left));
      reply.raw.once('close', onTimeoutOrClose);
      const unwatch = hub.watchTask(taskId, (view) => {
        if (view === null || isFinal(view.task.status)) settle(null);
      });
    });
  });
}
