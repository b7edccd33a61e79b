import type { FastifyRequest } from 'fastify';
import type { Origin } from '../domain/actor.ts';

/** Longer user agents are cut: callers choose them, and the audit log stores them. */
const userAgentCharacters = 200;

/** Returns what the audit log tells of a request. */
export function originOf({ clientAddress, headers, id }: FastifyRequest): Origin {
  return {
    address: clientAddress,
    userAgent: headers['user-agent']?.slice(0, userAgentCharacters) ?? null,
    requestId: id,
  };
}
