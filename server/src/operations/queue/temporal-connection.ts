import type { Client } from '@temporalio/client';
import { isOutage } from '../../telemetry/outages.ts';
import { connectionOptions, type TemporalAccess } from './temporal-access.ts';

const callTimeoutMilliseconds = 2_000;
/** 2 s: a silent connection is replaced after its first call, but an error at once is no reason to replace a new one. */
const replaceAfterMilliseconds = callTimeoutMilliseconds;

export interface TemporalConnection {
  /** Makes calls to Temporal that fail after 2 s. */
  call<T>(work: (client: Client) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Creates a connection to Temporal that is opened when it is first used: Temporal may be down at the start. After an
 * outage it is replaced by a new one, because the old one would recover too late: gRPC waits up to 2 min between two tries
 * to connect, has no time limit for a try, and notices a silent connection only after 45 s.
 */
export function createTemporalConnection(access: TemporalAccess): TemporalConnection {
  const open = async () => {
    // Loading the client takes a tenth of a second, which would delay the start of each role and command.
    const { Client, Connection } = await import('@temporalio/client');
    const connection = Connection.lazy({
      ...connectionOptions(access),
      // The client does not retry, because each caller has a better way to.
      interceptors: [],
      // Otherwise the new connection would share the state of the one that it replaces.
      channelArgs: { 'grpc.use_local_subchannel_pool': 1 },
    });
    return { connection, client: new Client({ connection, namespace: access.namespace }), openedAt: performance.now() };
  };
  let current: ReturnType<typeof open> | null = null;
  return {
    call: async (work) => {
      const opened = (current ??= open());
      const used = await opened;
      try {
        return await used.connection.withDeadline(Date.now() + callTimeoutMilliseconds, () => work(used.client));
      } catch (error) {
        const isOld = performance.now() - used.openedAt >= replaceAfterMilliseconds;
        if (current === opened && isOld && isOutage(error, () => false)) {
          current = null;
          await used.connection.close();
        }
        throw error;
      }
    },
    close: async () => (await current)?.connection.close(),
  };
}
