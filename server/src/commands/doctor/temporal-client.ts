import type { Client } from '@temporalio/client';
import { openTemporalClient } from '../../operations/queue/open-temporal-client.ts';
import type { TemporalAccess } from '../../operations/queue/temporal-access.ts';

/** A connection to Temporal that is opened when it is first used. */
export interface TemporalClient {
  namespace: string;
  /** Makes calls that fail after some seconds. */
  call<T>(work: (client: Client) => Promise<T>, seconds?: number): Promise<T>;
  close(): Promise<void>;
}

/** Shorter than the time of a check, so that the reason of a failure is known. */
const callSeconds = 8;

export function createTemporalClient(access: TemporalAccess): TemporalClient {
  const { connection, client } = openTemporalClient(access);
  return {
    namespace: access.namespace,
    call: (work, seconds = callSeconds) => connection.withDeadline(Date.now() + seconds * 1000, () => work(client)),
    close: () => connection.close(),
  };
}
