import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Moment } from './moment.ts';
import type { Setting } from './setting.ts';

/** A band that passes by and closes upon itself: whoever fills it fills x from 0 to `length`, and may overlap its ends. */
export interface Scroll {
  length: number;
  /** Draws the band as often as it takes to cover the stage, each time moved into place. */
  draw(context: SKRSContext2D, moment: Moment, drawBand: () => void): void;
}

/**
 * The band of a layer at a depth. It passes once in the video, so that the last frame meets the first; where that would make
 * it shorter than `shortest`, it repeats too plainly, and the band stands still instead.
 */
export function createScroll(
  { stage, travel, seconds }: Pick<Setting, 'stage' | 'travel' | 'seconds'>,
  depth: number,
  shortest: number,
): Scroll {
  const distance = Math.abs(travel) * depth * seconds;
  const isMoving = distance >= shortest;
  const length = isMoving ? distance : Math.max(shortest, stage.right - stage.left);
  return {
    length,
    draw(context, moment, drawBand) {
      const moved = isMoving ? Math.sign(travel) * moment.phase * length : 0;
      const first = stage.left - ((((stage.left - moved) % length) + length) % length);
      for (let x = first; x < stage.right; x += length) {
        context.save();
        context.translate(x, 0);
        drawBand();
        context.restore();
      }
    },
  };
}
