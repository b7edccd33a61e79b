import type { Dice } from '../dice.ts';
import type { Storyboard } from '../storyboard/storyboard.ts';
import type { Palette } from './palette.ts';
import type { Stage } from './stage.ts';

/** Everything that a part of one video is created from. */
export interface Setting {
  stage: Stage;
  /** The size of a unit on the canvas. */
  pixelsPerUnit: number;
  palette: Palette;
  storyboard: Storyboard;
  /** The dice of this part only. */
  dice: Dice;
  /** The sun or the moon, in units. */
  sun: { x: number; y: number; radius: number };
  /** The length of the video in seconds, multiplied by its pace: slow motion makes it shorter. */
  seconds: number;
  /** The passing ground's speed at depth 1, in units per second, against the subject's direction; 0 if none passes. */
  travel: number;
}
