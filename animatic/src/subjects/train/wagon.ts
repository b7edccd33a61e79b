import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Moment } from '../../drawing/moment.ts';

/** A part of a train that rocks on its own, drawn with its front at x = 0 and its wheels on the rails. */
export interface Wagon {
  length: number;
  draw(context: SKRSContext2D, moment: Moment): void;
}
