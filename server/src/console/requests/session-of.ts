import type { FastifyRequest } from 'fastify';
import type { ConsoleUser, Operator } from '../../domain/actor.ts';
import type { SignedIn } from '../../domain/console-session.ts';
import { originOf } from '../../http/origin-of.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in; null if nobody is. */
    session: SignedIn | null;
  }
}

/** Returns who sent a request to a route that needs a session. */
export function sessionOf(request: FastifyRequest): SignedIn {
  if (!request.session) throw new TypeError('the route does not require a session');
  return request.session;
}

/** Returns the sender as the actor of an audit event. */
export function consoleUserOf(request: FastifyRequest): ConsoleUser {
  return { person: request.session && { id: request.session.person.id }, origin: originOf(request) };
}

/** Returns the sender of a request to a route for operators as the actor of what commands of operators also do. */
export function operatorOf(request: FastifyRequest): Operator {
  const { person } = sessionOf(request);
  return { operator: person.email, command: 'console', person: { id: person.id }, origin: originOf(request) };
}
