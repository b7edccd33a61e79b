import type { FastifyRequest } from 'fastify';
import type { Clock } from '../domain/clock.ts';
import { newId } from '../domain/id.ts';

/** Returns the caller's own X-Request-Id if it is safe to log and echo, otherwise a new one. */
export function requestIdOf(header: string | string[] | undefined, clock: Clock): string {
  return typeof header === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(header) ? header : newId('req', clock.now());
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Our own id of a request whose id the caller chose; null if we chose it. */
    ownRequestId: string | null;
  }
}

/** Returns our own id for a request whose id is the caller's, because two callers may choose the same one. */
export function ownRequestIdOf({ id, headers }: Pick<FastifyRequest, 'id' | 'headers'>, clock: Clock): string | null {
  return id === headers['x-request-id'] ? newId('req', clock.now()) : null;
}

/** Returns the fields by which log lines of one request are found. */
export function requestFields({ id, ownRequestId }: Pick<FastifyRequest, 'id' | 'ownRequestId'>) {
  return { requestId: id, ...(ownRequestId === null ? {} : { ownRequestId }) };
}
