import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../domain/caller.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
}

/** Who sent a request that was let in with a key. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new TypeError('the route is not one that needs a key');
  return request.caller;
}
