import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import type { ApiParts, FoundTask } from '../api-parts.ts';
import { originOf } from '../requests/origin-of.ts';
import type { CountRequest } from './count-requests.ts';
import type { AddressLimits } from './limit-addresses.ts';
import { accessOf } from './route-access.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The task of the path, if it was read together with the key. */
    foundTask: FoundTask | undefined;
  }
}

type Parts = Pick<ApiParts, 'authenticate' | 'noteRefusedKey'>;

/** Authorizes a request before its body is read: checks the key, then its scope, then if its project is suspended. */
export function authorizeRequests(
  app: FastifyInstance,
  parts: Parts,
  countRequest: CountRequest,
  addressLimits: AddressLimits,
): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('foundTask', undefined);
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.allow !== undefined) return;
    for (const one of [method].flat()) {
      if (accessOf(one, url) === null) throw new TypeError(`route-access.ts does not say who may ${one} ${url}`);
    }
  });

  app.addHook('onRequest', async (request, reply) => {
    const access = accessOf(request.method, request.routeOptions.url ?? '');
    if (access === null) throw new AppError('not_found');
    if (access === 'unlimited') return;
    const countKeyless = () => addressLimits.countKeyless(request);
    if (access === 'open') return countKeyless();
    // The route itself verifies the signature, which is for one path, variant and expiry time.
    if (access.orSignature && isSigned(request)) return addressLimits.countSigned(request);
    const key = bearerKey(request.headers.authorization);
    if (key === null) {
      countKeyless();
      throw new AppError('missing_api_key');
    }
    const taskId = access.readsTask ? request.taskId : null;
    const authenticated = await parts.authenticate(key, countKeyless, taskId).catch((error: unknown) => {
      if (error instanceof AppError) parts.noteRefusedKey(key, error.code, request.clientAddress);
      throw error;
    });
    const { foundTask, ...caller } = authenticated;
    request.caller = { ...caller, origin: originOf(request) };
    // Requests refused below count too, so a key without the scope cannot send more requests than one with it.
    countRequest(request, reply, caller);
    if (!caller.scopes.includes(access.scope)) {
      throw new AppError('insufficient_scope', {
        message: `The API key lacks the scope ${access.scope}, which this operation needs.`,
      });
    }
    if (caller.isSuspended && !access.whileSuspended) throw new AppError('project_suspended');
    request.foundTask = foundTask;
  });
}

/** Returns whether a request has a signature in its URL, which it then uses instead of a key. */
export function isSigned({ query }: FastifyRequest): boolean {
  return typeof query === 'object' && query !== null && 'signature' in query;
}

function bearerKey(header: string | undefined): string | null {
  const [, key] = /^Bearer +(\S+) *$/i.exec(header ?? '') ?? [];
  return key ?? null;
}
