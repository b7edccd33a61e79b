import { ConnectionError, ServerError } from '@kinora/sdk';
import { useSyncExternalStore } from 'react';
import { ConsoleApiError, ConsoleUnreachable } from './console-api.ts';

/** Whether the API or the console's server cannot be reached. The banner shows it, and everything resumes after it. */
let isAway = false;
const listeners = new Set<() => void>();

/** Returns whether an error means that the service is away, rather than that it refused something. */
export function isAwayError(error: unknown): boolean {
  // A proxy in front of a server that is away responds for it. A 500 is a fault of one request, not of the service.
  if (error instanceof ConsoleApiError || error instanceof ServerError) return (error.status ?? 0) >= 502;
  return error instanceof ConnectionError || error instanceof ConsoleUnreachable;
}

export function setAway(next: boolean): void {
  if (isAway === next) return;
  isAway = next;
  for (const listener of listeners) listener();
}

export function useIsAway(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isAway,
  );
}
