import { fraction } from '../drawing/moment.ts';
import type { Setting } from '../drawing/setting.ts';

/** Where a foot is, relative to the place below the root of its limb; the joints follow from it. */
export interface Step {
  x: number;
  /** The height above the ground. */
  up: number;
  /** How far the foot trails behind the joint above it: −1 at touchdown, 1 when it leaves the ground. */
  trail: number;
  /** How far the limb is folded: 0 on the ground, 1 in the middle of the swing. */
  fold: number;
}

/**
 * Returns where a foot is; `stance` is the fraction of a cycle that it is on the ground. On the ground it moves backwards exactly as fast as the ground, so that it does not slide;
 * in the air it swings forward and reaches beyond the place where it lands.
 */
export function stepAt(turn: number, stance: number, stride: number): Step {
  const place = fraction(turn);
  const reach = (stance * stride) / 2;
  if (place < stance) {
    const along = place / stance;
    return { x: reach * (1 - 2 * along), up: 0, trail: 2 * along - 1, fold: 0 };
  }
  const along = (place - stance) / (1 - stance);
  const speed = 0.55 * stride * (1 - stance);
  // A cubic from the last place on the ground to the first, which leaves and arrives with some of the ground's speed.
  const x = -reach * (1 - 3 * along ** 2 + 2 * along ** 3) + reach * (3 * along ** 2 - 2 * along ** 3);
  const overshoot = speed * (along * (1 - along) ** 2 - along ** 2 * (1 - along));
  return {
    x: x - overshoot,
    up: Math.sin(Math.PI * along ** 0.85) ** 1.25,
    trail: Math.cos(Math.PI * along),
    fold: Math.sin(Math.PI * along ** 0.75) ** 1.4,
  };
}

/** Returns the length of a stride: as long as the ground that passes in it, so that the feet do not slide. */
export function strideOf({ seconds }: Setting, cyclesPerSecond: number, lengthsPerSecond: number): number {
  return (lengthsPerSecond * seconds) / Math.max(1, Math.round(cyclesPerSecond * seconds));
}
