import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { createBurst, type QuotaState, quotaState, takeFromRate } from '../../domain/rate-limit.ts';
import { AppError } from '../../errors.ts';
import { isCreate } from '../requests/read-idempotency.ts';

/** The current state of a caller's rate limits. */
interface Rates {
  create: QuotaState;
  read: QuotaState;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the key is authenticated. */
    rates: Rates | null;
  }
}

/** Far more keys than are in use at once. A key that is dropped early starts over with its whole burst. */
const maximumKeys = 100_000;

export type CountRequest = (request: FastifyRequest, reply: FastifyReply, caller: Caller) => void;

/**
 * Counts the requests of callers and puts what is left into the headers of every response. Postgres counts creates,
 * exactly across all processes. Reads are counted here, in the memory of each process; their burst is a whole minute's
 * worth.
 */
export function countRequests(app: FastifyInstance, clock: Clock): CountRequest {
  const readAllowedAt = new Map<string, number>();
  app.decorateRequest('rates', null);

  // The creation limit was read together with the key; other requests have used it up since.
  app.addHook('onError', async (request, reply, error) => {
    const isOverCreates = error instanceof AppError && error.code === 'rate_limited' && isCreate(request);
    if (!isOverCreates || !request.rates) return;
    const { create } = request.rates;
    const resetSeconds = Math.max(create.resetSeconds, error.retryAfterSeconds ?? 1);
    showRates(request, reply, { ...request.rates, create: { ...create, remaining: 0, resetSeconds } });
  });

  return (request, reply, { keyId, limits }) => {
    const now = clock.now().getTime();
    const create = quotaState(
      { perMinute: limits.createsPerMinute, burst: createBurst, allowedAt: limits.createAllowedAt.getTime() },
      now,
    );
    const reads = {
      perMinute: limits.readsPerMinute,
      burst: limits.readsPerMinute,
      allowedAt: readAllowedAt.get(keyId) ?? 0,
    };
    if (isCreate(request)) return showRates(request, reply, { create, read: quotaState(reads, now) });

    const taken = takeFromRate(reads, now);
    if ('allowedAt' in taken) {
      remember(readAllowedAt, keyId, taken.allowedAt, now);
      return showRates(request, reply, { create, read: quotaState({ ...reads, ...taken }, now) });
    }
    showRates(request, reply, { create, read: { ...quotaState(reads, now), remaining: 0 } });
    const retryAfterSeconds = Math.min(60, Math.ceil(taken.waitMilliseconds / 1000));
    throw new AppError('rate_limited', {
      retryAfterSeconds,
      message: `The limit of ${reads.perMinute} reads a minute of this key is used up. Try again in ${retryAfterSeconds} s.`,
    });
  };
}

/** Updates the headers to what is left of the creation limit after a create. */
export function showCreateTaken(
  request: FastifyRequest,
  reply: FastifyReply,
  createAllowedAt: Date,
  clock: Clock,
): void {
  if (!request.rates) return;
  const { perMinute, burst } = request.rates.create;
  const create = quotaState({ perMinute, burst, allowedAt: createAllowedAt.getTime() }, clock.now().getTime());
  showRates(request, reply, { ...request.rates, create });
}

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers for both limits, and OpenAI's for the one that applies. */
function showRates(request: FastifyRequest, reply: FastifyReply, rates: Rates): void {
  request.rates = rates;
  const applied = isCreate(request) ? rates.create : rates.read;
  const each = (describe: (state: QuotaState) => string) =>
    `"create";${describe(rates.create)}, "read";${describe(rates.read)}`;
  reply.headers({
    'ratelimit-policy': each(({ perMinute }) => `q=${perMinute};w=60`),
    ratelimit: each(({ remaining, resetSeconds }) => `r=${remaining};t=${resetSeconds}`),
    'x-ratelimit-limit-requests': String(applied.perMinute),
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

/** Stores when a key may read next. A full map first drops keys whose burst is whole again, then the oldest entries. */
function remember(allowedAtOfKeys: Map<string, number>, keyId: string, allowedAt: number, now: number): void {
  allowedAtOfKeys.set(keyId, allowedAt);
  if (allowedAtOfKeys.size <= maximumKeys) return;
  for (const [known, moment] of allowedAtOfKeys) if (moment <= now) allowedAtOfKeys.delete(known);
  for (const known of allowedAtOfKeys.keys()) {
    if (allowedAtOfKeys.size <= maximumKeys) return;
    allowedAtOfKeys.delete(known);
  }
}
