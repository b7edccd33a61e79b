import { createFairSemaphore } from '../domain/fair-semaphore.ts';
import { OutboundRefused } from '../errors.ts';

/** How many fetches may be under way at one address, and how long others wait for their turn. */
export interface AddressLimit {
  fetches: number;
  waitMilliseconds: number;
}

/** Waits until another fetch from this address may begin, and returns the function that ends its turn. */
export type TakeTurn = (address: string, signal: AbortSignal) => Promise<() => void>;

/** Limits the fetches at one address, so that nobody can aim the service at it, by whatever names and redirects. */
export function createAddressTurns({ fetches, waitMilliseconds }: AddressLimit): TakeTurn {
  const turns = createFairSemaphore({ total: Number.POSITIVE_INFINITY, perHolder: fetches });
  return async (address, signal) => {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(waitMilliseconds)]);
    try {
      return await turns.acquire(address, { signal: patience });
    } catch (cause) {
      signal.throwIfAborted();
      throw new OutboundRefused('address_busy', { cause });
    }
  };
}
