import type { Dice } from '../dice.ts';
import type { Storyboard } from '../storyboard/storyboard.ts';
import type { Palette } from './palette.ts';
import type { Stage } from './stage.ts';

/** Everything that one video's parts are made from, handed to each of them once. */
export interface Setting {
  stage: Stage;
  /** What a unit is on the canvas. */
  pixelsPerUnit: number;
  palette: Palette;
  storyboard: Storyboard;
  /** Dice of this part's own. */
  dice: Dice;
  /** The sun or the moon, in units. */
  sun: { x: number; y: number; radius: number };
  /** What the video lasts, in seconds of its own pace: slow motion makes it short. */
  seconds: number;
  /** How fast the ground passes at depth 1, in units a second: against the way the subject goes. 0: nothing passes. */
  travel: number;
}
