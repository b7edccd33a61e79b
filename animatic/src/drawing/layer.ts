import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Moment } from './moment.ts';

/** Draws what moves, as it is at a moment. */
export type Draw = (context: SKRSContext2D, moment: Moment) => void;

/** Draws what never changes. */
export type Paint = (context: SKRSContext2D) => void;

/** A part of the picture at one distance. Everything that is drawn is a layer. */
export interface Layer {
  /** 0 is the sky, infinitely far; 1 is the subject; up to 1.8 is in front of it. Layers are drawn in this order. */
  depth: number;
  /** Draws in units of the stage, with the camera already applied. The caller restores the state of the context. */
  draw: Draw;
}
