const hourSeconds = 60 * 60;
/** 7 days: more than a task can take after its wait (three attempts, 6 h of finishing, outages). */
const longestWorkSeconds = 7 * 24 * hourSeconds;

/** Returns the longest possible time between a task's creation and its end. */
export function longestLifeSeconds(waitLimitHours: number): number {
  return waitLimitHours * hourSeconds + longestWorkSeconds;
}
