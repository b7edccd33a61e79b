import { heartbeat } from '@temporalio/activity';
import type { Clock } from '../domain/clock.ts';

const heartbeatMilliseconds = 2_000;

/** Sends heartbeats during the work, which has no loop of its own: only a dead worker is silent. */
export async function whileAlive<T>({ clock }: { clock: Clock }, work: () => Promise<T>): Promise<T> {
  const stop = clock.every(heartbeatMilliseconds, heartbeat);
  try {
    return await work();
  } finally {
    stop();
  }
}
