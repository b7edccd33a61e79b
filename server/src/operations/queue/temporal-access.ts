import type { TLSConfig } from '@temporalio/client';

/** How Temporal is reached. Clients and workers connect in the same way. */
export interface TemporalAccess {
  address: string;
  namespace: string;
  /** Plain text if it is missing. */
  tls?: TLSConfig;
  apiKey?: string;
}

/** Returns the part of the access that concerns a connection rather than what is called through it. */
export function connectionOptions({ namespace: _namespace, ...options }: TemporalAccess) {
  return options;
}
