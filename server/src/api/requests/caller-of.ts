import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../domain/caller.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
}

/** Returns the caller of a request that was authenticated with a key. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new TypeError('the route does not require a key');
  return request.caller;
}
