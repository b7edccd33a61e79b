import type { Client } from '@temporalio/client';
import type { TemporalAccess } from '../../operations/queue/temporal-access.ts';

/** A connection to Temporal that is opened when it is first used. */
export interface TemporalClient {
  namespace: string;
  /** Makes calls that fail after some seconds. */
  call<T>(work: (client: Client) => Promise<T>, seconds?: number): Promise<T>;
  close(): Promise<void>;
}

/** Shorter than the time of a check, so that the reason of a failure is known. */
const callSeconds = 4;

export function createTemporalClient(access: TemporalAccess): TemporalClient {
  const load = async () => (await import('../../operations/queue/open-temporal-client.ts')).openTemporalClient(access);
  let opened: ReturnType<typeof load> | null = null;
  return {
    namespace: access.namespace,
    call: async (work, seconds = callSeconds) => {
      const { connection, client } = await (opened ??= load());
      return connection.withDeadline(Date.now() + seconds * 1000, () => work(client));
    },
    close: async () => (await opened)?.connection.close(),
  };
}
