import { activityInfo, heartbeat } from '@temporalio/activity';
import type { Clock } from '../domain/clock.ts';

const heartbeatsPerLimit = 10;

/** Sends heartbeats during the work, which has no loop of its own: only a dead worker is silent. */
export async function whileAlive<T>({ clock }: { clock: Clock }, work: () => Promise<T>): Promise<T> {
  const limitMilliseconds = activityInfo().heartbeatTimeoutMs ?? 0;
  const stop = clock.every(limitMilliseconds / heartbeatsPerLimit, heartbeat);
  try {
    return await work();
  } finally {
    stop();
  }
}
