import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../../domain/caller.ts';
import { AppError } from '../../errors.ts';
import type { CountRequest } from './count-requests.ts';
import { accessOf } from './route-access.ts';

/** Authorizes a request before its body is read: checks the key, then its scope, then if its project is suspended. */
export function authorizeRequests(
  app: FastifyInstance,
  authenticate: (key: string) => Promise<Caller>,
  countRequest: CountRequest,
): void {
  app.decorateRequest('caller', null);
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.allow !== undefined) return;
    for (const one of [method].flat()) {
      if (accessOf(one, url) === null) throw new TypeError(`route-access.ts does not say who may ${one} ${url}`);
    }
  });

  app.addHook('onRequest', async (request, reply) => {
    const access = accessOf(request.method, request.routeOptions.url ?? '');
    if (access === null) throw new AppError('not_found');
    if (access === 'open') return;
    // The route itself verifies the signature, which is for one path, variant and expiry time.
    if (access.orSignature && isSigned(request)) return;
    const caller = await authenticate(bearerKey(request.headers.authorization));
    request.caller = caller;
    // Requests refused below count too, so a key without the scope cannot send more requests than one with it.
    countRequest(request, reply, caller);
    if (!caller.scopes.includes(access.scope)) {
      throw new AppError('insufficient_scope', {
        message: `The API key lacks the scope ${access.scope}, which this operation needs.`,
      });
    }
    if (caller.isSuspended) throw new AppError('project_suspended');
  });
}

/** Returns whether a request has a signature in its URL, which it then uses instead of a key. */
export function isSigned({ query }: FastifyRequest): boolean {
  return typeof query === 'object' && query !== null && 'signature' in query;
}

function bearerKey(header: string | undefined): string {
  const [, key] = /^Bearer +(\S+) *$/i.exec(header ?? '') ?? [];
  if (key === undefined) throw new AppError('missing_api_key');
  return key;
}
