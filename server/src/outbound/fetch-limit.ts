import { createConcurrencyLimit } from '../domain/concurrency-limit.ts';
import { OutboundRefused } from '../errors.ts';

/** How many fetches may be under way at one address, and how long others wait for their turn. */
export interface FetchLimit {
  perHolder: number;
  waitMilliseconds: number;
}

/** Waits until another fetch from this address may begin, and returns the function to call at its end. */
export type EnterFetch = (address: string, signal: AbortSignal) => Promise<() => void>;

/** Limits the fetches at one address, so that nobody can aim the service at it, by whatever names and redirects. */
export function createFetchLimit({ perHolder, waitMilliseconds }: FetchLimit): EnterFetch {
  const permits = createConcurrencyLimit({ total: Number.POSITIVE_INFINITY, perHolder });
  return async (address, signal) => {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(waitMilliseconds)]);
    try {
      return await permits.acquire(address, { signal: patience });
    } catch (cause) {
      signal.throwIfAborted();
      throw new OutboundRefused('address_busy', { cause });
    }
  };
}
