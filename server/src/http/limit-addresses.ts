import type { FastifyRequest } from 'fastify';
import type { Clock } from '../domain/clock.ts';
import { clientNetwork } from '../domain/ip-address.ts';
import { createRateMemory } from '../domain/rate-memory.ts';
import { rateUsedUp } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';

/** Players request a video in many ranges, and a page shows many thumbnails. */
export const signedPerKeyless = 10;
/** An attack must not fill the log. */
const logEveryMilliseconds = 60_000;

/** Limits what one client address may request without a valid key. Both functions throw `rate_limited`. */
export interface AddressLimits {
  /** Counts a request that has no key, or one that this process does not know. */
  countKeyless(request: FastifyRequest): void;
  /** Counts a request with a signed URL. */
  countSigned(request: FastifyRequest): void;
}

interface Parts {
  clock: Clock;
  log: Log;
  keylessPerMinute: number;
}

/** Limits in this process's memory. A known key is never counted: a proxy may give all callers its own address. */
export function createAddressLimits({ clock, log, keylessPerMinute }: Parts): AddressLimits {
  const rates = createRateMemory();
  let loggedAt = Number.NEGATIVE_INFINITY;

  const count = (request: FastifyRequest, kind: string, perMinute: number): void => {
    const now = clock.now().getTime();
    const { clientAddress } = request;
    const holder = `${kind} ${clientNetwork(clientAddress ?? 'unknown')}`;
    const rate = { perMinute, burst: perMinute };
    const refused = rates.take(holder, rate, now);
    if (!refused) return;
    if (now - loggedAt >= logEveryMilliseconds) {
      loggedAt = now;
      const isForwarded = request.headers['x-forwarded-for'] !== undefined;
      log.warn({ event: 'address.limited', kind, clientAddress, isForwarded }, 'client address over its limit');
    }
    throw rateUsedUp({ what: `requests ${kind} from your address`, ...rate, ...refused });
  };
  return {
    countKeyless: (request) => count(request, 'without a valid key', keylessPerMinute),
    countSigned: (request) => count(request, 'with signed URLs', keylessPerMinute * signedPerKeyless),
  };
}
