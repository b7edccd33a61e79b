import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Moment } from '../../drawing/moment.ts';

/** What kind of city it is. */
export type CityCharacter = 'modern' | 'old town';

/** A row of houses at one distance. */
export interface Row {
  character: CityCharacter;
  depth: number;
  /** Where the houses stand. */
  foot: number;
  /** How wide a house is, about. */
  size: number;
  /** How high they reach at x. */
  heightAt: (x: number) => number;
  /** How far apart windows are; 0: too far away to see any. */
  windowPitch: number;
  hasCrane?: boolean | undefined;
  /** Shops at the foot of the houses. */
  hasShops?: boolean | undefined;
}

/** Draws a row of houses, and all that moves in it. */
export type DrawSkyline = (context: SKRSContext2D, moment: Moment) => void;
