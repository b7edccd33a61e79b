/**
 * An endpoint's owner records it at least every 10 s: after three missed writes its state counts as unknown. Postgres
 * takes both times, because the clocks of the processes may be far apart.
 */
export const seenWithinSeconds = 30;

/** Whether a worker looks after an endpoint. */
export function isSeen({ seenSecondsAgo }: { seenSecondsAgo: number | null }): boolean {
  return seenSecondsAgo !== null && seenSecondsAgo <= seenWithinSeconds;
}
