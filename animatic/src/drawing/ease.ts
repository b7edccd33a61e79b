/** From 0 to 1 as `along` goes there, at rest at both ends. */
export function ease(along: number): number {
  return along * along * (3 - 2 * along);
}
