import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Moment } from './moment.ts';
import type { Setting } from './setting.ts';

/**
 * A band that passes by and closes upon itself: whoever fills it fills a piece of `length`, from 0 or where they say that it
 * starts, and may overlap its ends.
 */
export interface Scroll {
  length: number;
  /** How far it has passed to the right. */
  passed(moment: Moment): number;
  /** Draws the band as often as it takes to cover the stage, each time moved into place. */
  draw(context: SKRSContext2D, moment: Moment, drawBand: () => void, start?: number): void;
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
  const passed = ({ phase }: Moment) => (isMoving ? Math.sign(travel) * phase * length : 0);
  return {
    length,
    passed,
    draw(context, moment, drawBand, start = 0) {
      const first = stage.left - ((((stage.left - passed(moment) - start) % length) + length) % length);
      for (let x = first; x < stage.right; x += length) {
        context.save();
        context.translate(x - start, 0);
        drawBand();
        context.restore();
      }
    },
  };
}
