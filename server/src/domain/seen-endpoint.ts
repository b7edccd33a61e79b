/** Owners record endpoints every 10 s: after three missed writes the state is unknown. Postgres takes both times. */
export const seenWithinSeconds = 30;

/** Whether a worker looks after an endpoint. */
export function isSeen({ seenSecondsAgo }: { seenSecondsAgo: number | null }): boolean {
  return seenSecondsAgo !== null && seenSecondsAgo <= seenWithinSeconds;
}
