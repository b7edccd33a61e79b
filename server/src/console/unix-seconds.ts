/** Returns a moment as the console's pages get it. */
export function unixSeconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000);
}
