/** The kind of city. */
export type CityCharacter = 'modern' | 'old town';

/** A row of houses at one distance. */
export interface Row {
  character: CityCharacter;
  depth: number;
  /** The y of the ground that the houses stand on. */
  foot: number;
  /** The approximate width of a house. */
  size: number;
  /** Returns the height of the houses at x. */
  heightAt: (x: number) => number;
  /** The distance between windows; 0 if the row is too far away to see any. */
  windowPitch: number;
  hasCrane?: boolean | undefined;
  /** Whether there are shops at the foot of the houses. */
  hasShops?: boolean | undefined;
}
