/** A duration for a log line: in seconds, to the millisecond. */
export function logSeconds(milliseconds: number): number {
  return Math.round(milliseconds) / 1000;
}
