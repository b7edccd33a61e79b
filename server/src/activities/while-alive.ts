import { heartbeat } from '@temporalio/activity';

const heartbeatMilliseconds = 2_000;

/** Heartbeats while steps that have no loop of their own are under way: only a dead worker is silent. */
export async function whileAlive<T>(work: () => Promise<T>): Promise<T> {
  const timer = setInterval(heartbeat, heartbeatMilliseconds);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
