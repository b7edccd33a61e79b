import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, css } from './colour.ts';
import type { Moment } from './moment.ts';
import { addDisc, fill } from './paint.ts';

interface Trail {
  /** Where the puffs come from. */
  x: number;
  y: number;
  /** How far a puff drifts until it disappears. */
  driftX: number;
  driftY: number;
  /** The first and the last radius of a puff. */
  from: number;
  to: number;
  count: number;
  perSecond: number;
  tone: Colour;
  alpha: number;
}

/** Draws puffs that drift, grow and thin out, as one path, so that no puff shows through another. */
export function drawPuffs(context: SKRSContext2D, moment: Moment, trail: Trail): void {
  const { x, y, driftX, driftY, from, to, count, perSecond, tone, alpha } = trail;
  const thin = context.createLinearGradient(x, 0, x + driftX, 0);
  for (const along of [0, 0.25, 0.5, 0.75, 1]) thin.addColorStop(along, css(tone, alpha * (1 - along) ** 1.4));
  fill(context, thin, () => {
    for (let puff = 0; puff < count; puff++) {
      const age = moment.turn(perSecond, puff / count);
      // Each puff strays in a direction of its own, the same in every frame.
      const stray = Math.sin(puff * 2.4);
      const radius = Math.min(1, 6 * (1 - age)) * (from + (to - from) * age ** 0.7) * (1 + 0.28 * Math.sin(puff * 5.1));
      const puffX = x + driftX * age;
      const puffY = y + driftY * age ** 0.65 + stray * to * 0.4 * age;
      addDisc(context, puffX, puffY, radius);
    }
  });
}
