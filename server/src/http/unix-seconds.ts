/** Returns a moment as responses have it. */
export function unixSeconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000);
}
