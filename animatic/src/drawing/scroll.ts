import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Moment } from './moment.ts';
import { drawAt } from './paint.ts';
import type { Setting } from './setting.ts';

/** A band that passes by and repeats. Its content fills `length` from `start` or 0, and may overlap the ends. */
export interface Scroll {
  length: number;
  /** Returns how far the band has passed to the right. */
  passed(moment: Moment): number;
  /** Draws the band as often as it takes to cover the stage, each time moved into place. */
  draw(context: SKRSContext2D, moment: Moment, drawBand: () => void, start?: number): void;
}

/** Creates a band that passes exactly once, for the loop; one below `shortest` would visibly repeat, so it stays. */
export function createScroll(
  { stage, travel, seconds }: Pick<Setting, 'stage' | 'travel' | 'seconds'>,
  depth: number,
  shortest: number,
): Scroll {
  const distance = Math.abs(travel) * depth * seconds;
  const isMoving = distance >= shortest;
  const length = isMoving ? distance : Math.max(shortest, stage.right - stage.left);
  const passed = ({ phase }: Moment) => (isMoving ? Math.sign(travel) * phase * length : 0);
  return {
    length,
    passed,
    draw(context, moment, drawBand, start = 0) {
      const first = stage.left - ((((stage.left - passed(moment) - start) % length) + length) % length);
      for (let x = first; x < stage.right; x += length) drawAt(context, { x: x - start, y: 0 }, () => drawBand());
    },
  };
}
