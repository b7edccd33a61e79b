import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Moment } from './moment.ts';

/** A sheet of the picture at one distance. Everything that is drawn is one of these. */
export interface Layer {
  /** 0 is the sky, infinitely far; the subject is at 1; up to 1.8 is in front of it. Sheets are drawn in this order. */
  depth: number;
  /** Draws in units of the stage; the camera has already been applied. Whatever it sets on the context is undone. */
  draw(context: SKRSContext2D, moment: Moment): void;
}
