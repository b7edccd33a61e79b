import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../../domain/caller.ts';
import { isFreshSignIn } from '../../domain/person.ts';
import { type Shard, shardOfCredential, shardOfPath } from '../../domain/shard.ts';
import { AppError } from '../../errors.ts';
import type { AddressLimits } from '../../http/limit-addresses.ts';
import { originOf } from '../../http/origin-of.ts';
import type { ApiParts, FoundTask } from '../api-parts.ts';
import type { CountRequest } from './count-requests.ts';
import { accessOf } from './route-access.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The task of the path, if it was read together with the key. */
    foundTask: FoundTask | undefined;
  }
}

type Parts = Pick<ApiParts, 'authenticate' | 'noteRefusedKey' | 'shards' | 'clock'>;

/** Authorizes a request before its body is read: checks the key or token, what it may do, and if its project is suspended. */
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

  /** Throws if another installation has this shard: what this one does not know is not missing. */
  const refuseOthers = (shard: Shard | null, count?: () => void): void => {
    if (shard === null || parts.shards.has(shard)) return;
    count?.();
    throw new AppError('moving');
  };

  app.addHook('onRequest', async (request, reply) => {
    const access = accessOf(request.method, request.routeOptions.url ?? '');
    if (access === null) throw new AppError('not_found');
    if (access === 'unlimited') return;
    const countKeyless = () => addressLimits.countKeyless(request);
    if (access === 'open') return countKeyless();
    // The route itself verifies the signature, which is for one path, variant and expiry time.
    if (access.orSignature && isSigned(request)) {
      addressLimits.countSigned(request);
      return refuseOthers(shardOfPath(request.url));
    }
    const key = bearerKey(request.headers.authorization);
    if (key === null) {
      countKeyless();
      throw new AppError('missing_api_key');
    }
    refuseOthers(shardOfCredential(key), countKeyless);
    const taskId = access.readsTask ? request.taskId : null;
    const authenticated = await parts.authenticate(key, countKeyless, taskId).catch((error: unknown) => {
      if (error instanceof AppError) parts.noteRefusedKey(key, error.code, request.clientAddress);
      throw error;
    });
    const { foundTask, ...caller } = authenticated;
    request.caller = { ...caller, origin: originOf(request) };
    // Requests refused below count too, so a key without the scope cannot send more requests than one with it.
    countRequest(request, reply, caller);
    refuseOtherTasks(request, caller);
    if (access.scope !== null && !caller.scopes.includes(access.scope)) {
      const subject = caller.tokenExpiresAt === undefined ? 'API key' : 'token';
      throw new AppError('insufficient_scope', {
        message: `The ${subject} lacks the scope ${access.scope}, which this operation needs.`,
      });
    }
    if (caller.isSuspended && !access.whileSuspended) throw new AppError('project_suspended');
    const { person } = caller;
    if (access.needsFreshSignIn && person && !isFreshSignIn(person.signedInAt, parts.clock.now())) {
      throw new AppError('sign_in_again');
    }
    request.foundTask = foundTask;
  });
}

/** Throws if the token of a request is for one task and the path does not name it. */
function refuseOtherTasks({ taskId }: FastifyRequest, { onlyTaskId }: Caller): void {
  if (onlyTaskId === undefined || onlyTaskId === taskId) return;
  const message = `The token is only for the task ${onlyTaskId}.`;
  throw new AppError('insufficient_scope', { message });
}

/** Returns whether a request has a signature in its URL, which it then uses instead of a key. */
export function isSigned({ query }: FastifyRequest): boolean {
  return typeof query === 'object' && query !== null && 'signature' in query;
}

function bearerKey(header: string | undefined): string | null {
  const [, key] = /^Bearer +(\S+) *$/i.exec(header ?? '') ?? [];
  return key ?? null;
}
