import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { createBurst, type QuotaState, quotaState } from '../../domain/rate-limit.ts';
import { createRateMemory } from '../../domain/rate-memory.ts';
import { AppError, rateUsedUp } from '../../errors.ts';
import { isCreate } from '../../http/create-routes.ts';

/** The current state of a caller's rate limits. */
interface Rates {
  create: QuotaState;
  read: QuotaState;
  upload: QuotaState;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the key is authenticated. */
    rates: Rates | null;
    /** To be called when a create has made a task: it then counts as a create, and no longer as a read. */
    countAsCreate: ((createAllowedAt: Date) => void) | null;
  }
}

/** The reads of all keys of a project and mode together, as a multiple of what one key may read. */
export const projectReadsPerKey = 10;

/** Routes whose requests make the service send requests itself: each has a limit per project and minute of its own. */
export const sendingRoutes: Readonly<Record<string, { perMinute: number; noun: string }>> = {
  '/v1/webhook-endpoints/:endpoint_id/test': { perMinute: 10, noun: 'webhook tests' },
  '/v1/webhook-deliveries/:delivery_id/redeliver': { perMinute: 60, noun: 'redeliveries' },
};

export type CountRequest = (request: FastifyRequest, reply: FastifyReply, caller: Caller) => void;

/** A limit that a request draws on. */
interface Limit {
  holder: string;
  perMinute: number;
  /** What the limit is of, for its message. */
  what: string;
}

/**
 * Counts the requests of callers and puts what is left into every response. Postgres counts creates across all
 * processes; the others are counted in each process, with a minute's worth as burst. Reads count for the key and its
 * project, and a create counts as a read until it has made a task, so refused creates and replays are not free.
 */
export function countRequests(app: FastifyInstance, clock: Clock): CountRequest {
  const memory = createRateMemory();
  app.decorateRequest('rates', null);
  app.decorateRequest('countAsCreate', null);

  // The creation limit was read together with the key; other requests have used it up since.
  app.addHook('onError', async (request, reply, error) => {
    const isOverCreates = error instanceof AppError && error.code === 'rate_limited' && request.countAsCreate !== null;
    if (!isOverCreates || !request.rates) return;
    const { create } = request.rates;
    const resetSeconds = Math.max(create.resetSeconds, error.retryAfterSeconds ?? 1);
    showRates(request, reply, { ...request.rates, create: { ...create, remaining: 0, resetSeconds } }, 'create');
  });

  return (request, reply, caller) => {
    const { limits } = caller;
    const counted = countedAs(request);
    const states = (createAllowedAt: Date): Rates => {
      const now = clock.now().getTime();
      const creates = { perMinute: limits.createsPerMinute, burst: createBurst, allowedAt: createAllowedAt.getTime() };
      const stateOf = ({ holder, perMinute }: Limit) =>
        quotaState({ perMinute, burst: perMinute, allowedAt: memory.allowedAt(holder) }, now);
      return {
        create: quotaState(creates, now),
        read: stateOf(readLimitOfKey(caller)),
        upload: stateOf(uploadLimit(caller)),
      };
    };
    // Creates may go beyond the reads that are left by a minute's worth of creates. A caller that has used up its reads
    // can therefore still create tasks, and only creates that make none end that.
    const beyond = counted === 'create' ? Math.max(createBurst, limits.createsPerMinute) : 0;
    const drawn = limitsOf(request, caller);
    for (const limit of drawn) {
      const { holder, perMinute, what } = limit;
      const rate = { perMinute, burst: perMinute + beyond };
      const refused = memory.take(holder, rate, clock.now().getTime());
      if (!refused) continue;
      const rates = states(limits.createAllowedAt);
      const applies = counted === 'upload' ? 'upload' : 'read';
      showRates(request, reply, { ...rates, [applies]: { ...rates[applies], remaining: 0 } }, applies);
      const remark = counted === 'create' ? 'Creates that make no task, and replays, count as reads.' : undefined;
      throw rateUsedUp({ what, ...rate, remark, ...refused });
    }
    showRates(request, reply, states(limits.createAllowedAt), counted);
    if (counted !== 'create') return;
    request.countAsCreate = (createAllowedAt) => {
      for (const { holder, perMinute } of drawn) memory.giveBack(holder, perMinute);
      showRates(request, reply, states(createAllowedAt), 'create');
    };
  };
}

function countedAs(request: FastifyRequest): keyof Rates {
  if (isCreate(request)) return 'create';
  return request.method === 'POST' && request.routeOptions.url === '/v1/files' ? 'upload' : 'read';
}

/** Returns the limits of this process that a request draws on. */
function limitsOf(request: FastifyRequest, caller: Caller): Limit[] {
  if (countedAs(request) === 'upload') return [uploadLimit(caller)];
  const { projectId, livemode, limits } = caller;
  const ofKey = readLimitOfKey(caller);
  const ofProject = {
    holder: `${projectId} ${livemode}`,
    perMinute: limits.readsPerMinute * projectReadsPerKey,
    what: 'reads of this project',
  };
  const route = request.routeOptions.url ?? '';
  const sending = sendingRoutes[route];
  if (!sending) return [ofKey, ofProject];
  const { perMinute, noun } = sending;
  return [ofKey, ofProject, { holder: `${projectId} ${route}`, perMinute, what: `${noun} of this project` }];
}

function readLimitOfKey({ keyId, limits }: Caller): Limit {
  return { holder: keyId, perMinute: limits.readsPerMinute, what: 'reads of this key' };
}

/** A task needs one image at most, so a project may upload as often as it may create. */
function uploadLimit({ projectId, livemode, limits }: Caller): Limit {
  return { holder: `${projectId} ${livemode} uploads`, perMinute: limits.createsPerMinute, what: 'uploads' };
}

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers for the limits, and OpenAI's for the one that applies. */
function showRates(request: FastifyRequest, reply: FastifyReply, rates: Rates, applies: keyof Rates): void {
  request.rates = rates;
  const applied = rates[applies];
  const shown = applies === 'upload' ? (['create', 'read', 'upload'] as const) : (['create', 'read'] as const);
  const each = (describe: (state: QuotaState) => string) =>
    shown.map((name) => `"${name}";${describe(rates[name])}`).join(', ');
  reply.headers({
    'ratelimit-policy': each(({ perMinute }) => `q=${perMinute};w=60`),
    ratelimit: each(({ remaining, resetSeconds }) => `r=${remaining};t=${resetSeconds}`),
    'x-ratelimit-limit-requests': String(applied.perMinute),
    'x-ratelimit-burst-requests': String(applied.burst),
    'x-ratelimit-remaining-requests': String(applied.remaining),
    'x-ratelimit-reset-requests': duration(applied.resetSeconds),
  });
}

/** Formats a duration like OpenAI, such as `6m0s`. */
function duration(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (hours > 0) return `${hours}h${minutes}m${rest}s`;
  return minutes > 0 ? `${minutes}m${rest}s` : `${rest}s`;
}
