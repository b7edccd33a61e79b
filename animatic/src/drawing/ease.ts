/** Eases `along`, 0..1, so that the speed is 0 at both ends. */
export function ease(along: number): number {
  return along * along * (3 - 2 * along);
}
