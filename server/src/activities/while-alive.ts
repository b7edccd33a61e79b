import { heartbeat } from '@temporalio/activity';

const heartbeatMilliseconds = 2_000;

/** Sends heartbeats during the work, which has no loop of its own: only a dead worker is silent. */
export async function whileAlive<T>(work: () => Promise<T>): Promise<T> {
  const timer = setInterval(heartbeat, heartbeatMilliseconds);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
