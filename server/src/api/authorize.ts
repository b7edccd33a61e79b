import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../domain/caller.ts';
import { AppError } from '../errors.ts';
import { accessOf } from './route-access.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
}

/** Lets a request in before its body is read: first the key, then its scope, then the project's standing. */
export function authorizeRequests(app: FastifyInstance, authenticate: (key: string) => Promise<Caller>): void {
  app.decorateRequest('caller', null);
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.allow !== undefined) return;
    for (const one of [method].flat()) {
      if (accessOf(one, url) === null) throw new TypeError(`route-access.ts does not say who may ${one} ${url}`);
    }
  });

  app.addHook('onRequest', async (request) => {
    const access = accessOf(request.method, request.routeOptions.url ?? '');
    if (access === null) throw new AppError('not_found');
    if (access === 'open' || access === 'signature') return;
    const caller = await authenticate(bearerKey(request.headers.authorization));
    request.caller = caller;
    if (!caller.scopes.includes(access)) {
      throw new AppError('insufficient_scope', {
        message: `The API key lacks the scope ${access}, which this operation needs.`,
      });
    }
    if (caller.isSuspended) throw new AppError('project_suspended');
  });
}

/** Who sent a request that was let in with a key. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new TypeError('the route is not one that needs a key');
  return request.caller;
}

function bearerKey(header: string | undefined): string {
  const [, key] = /^Bearer +(\S+) *$/i.exec(header ?? '') ?? [];
  if (key === undefined) throw new AppError('missing_api_key');
  return key;
}
