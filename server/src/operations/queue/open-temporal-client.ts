import { Client, Connection } from '@temporalio/client';
import { connectionOptions, type TemporalAccess } from './temporal-access.ts';

/** Creates a client of Temporal that connects when it is first used. */
export function openTemporalClient(access: TemporalAccess) {
  const connection = Connection.lazy({
    ...connectionOptions(access),
    // The client does not retry, because each caller has a better way to.
    interceptors: [],
    // Otherwise the new connection would share the state of the one that it replaces.
    channelArgs: { 'grpc.use_local_subchannel_pool': 1 },
  });
  return { connection, client: new Client({ connection, namespace: access.namespace }), openedAt: performance.now() };
}
