import type { Client } from '@temporalio/client';
import { isOutage } from '../../telemetry/outages.ts';
import type { TemporalAccess } from './temporal-access.ts';

const defaultCallTimeoutMilliseconds = 2_000;
/**
 * 1 s: a silent connection is replaced after its first call, whose timer may fire a millisecond early, but an error at
 * once is no reason to replace a new one.
 */
const replaceAfterMilliseconds = defaultCallTimeoutMilliseconds / 2;

export interface TemporalConnection {
  /** Makes calls to Temporal that fail after 2 s, or after the time that was given. */
  call<T>(work: (client: Client) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Connects to Temporal when first used, as it may be down at the start. After an outage a new connection replaces the
 * old one: gRPC waits up to 2 min between two tries, without a limit for one, and notices silence only after 45 s.
 */
export function createTemporalConnection(
  access: TemporalAccess,
  callTimeoutMilliseconds = defaultCallTimeoutMilliseconds,
): TemporalConnection {
  // Loading Temporal's client takes a tenth of a second, which would delay the start of every role and command.
  const load = async () => (await import('./open-temporal-client.ts')).openTemporalClient(access);
  const open = () =>
    load().catch((error: unknown) => {
      current = null; // the next call tries again
      throw error;
    });
  let current: ReturnType<typeof load> | null = null;
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
