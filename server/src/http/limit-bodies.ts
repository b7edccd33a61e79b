import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createConcurrencyLimit } from '../domain/concurrency-limit.ts';
import { limits } from '../domain/limits.ts';
import { refusalOfWait } from '../errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** To be called as soon as the body is not needed any more; called anyway once the response has ended. */
    releaseBody: (() => void) | null;
  }
}

const megabyte = 1024 * 1024;
/** Bodies without an image are this small, and never wait. */
const smallBytes = 64 * 1024;
const { perHolder, waitMilliseconds, retryAfterSeconds } = limits.bodyBytes;

/** Limits how many bytes of request bodies this process holds, with a share per project. Runs before a body is read. */
export function limitBodies(app: FastifyInstance): void {
  const budget = createConcurrencyLimit(limits.bodyBytes);
  app.decorateRequest('releaseBody', null);

  app.addHook('onRequest', async (request, reply) => {
    const amount = expectedBytes(request);
    if (!request.caller || amount <= smallBytes) return;
    const signal = AbortSignal.timeout(waitMilliseconds);
    const release = await budget.acquire(request.caller.projectId, { amount, signal }).catch((cause: unknown) => {
      throw refusalOfWait(cause, {
        retryAfterSeconds,
        message: `The project is sending more than ${perHolder / megabyte} MiB of request bodies at once. Try again in ${retryAfterSeconds} s, or send image URLs or ids of uploaded files.`,
      });
    });
    request.releaseBody = release;
    // The caller may break off at any time, also while it waited.
    if (reply.raw.destroyed) release();
    else reply.raw.once('close', release);
  });
  app.addHook('onResponse', async (request) => request.releaseBody?.());
}

/** Returns how large the body may be; 0 if it is refused unread because it is too large. */
function expectedBytes({ headers, routeOptions: { bodyLimit } }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return bodyLimit;
  const bytes = Number(headers['content-length'] ?? 0);
  return bytes > bodyLimit ? 0 : bytes;
}
