import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, colour, css, lighten, mix } from '../../drawing/colour.ts';
import { fill, fillRect, linearGradient, roundRect, stroke } from '../../drawing/paint.ts';

interface Basket {
  swing: number;
  wicker: Colour;
  rope: string;
  ink: Colour;
  burn: number;
}

/** Draws the basket below the balloon's mouth, which is the origin. It swings like a pendulum. */
export function drawBasket(context: SKRSContext2D, { swing, wicker, rope, ink, burn }: Basket): void {
  context.save();
  context.rotate(swing);
  stroke(context, rope, 0.006, () => {
    for (const [above, below] of [
      [-0.072, -0.06],
      [-0.03, -0.025],
      [0.03, 0.025],
      [0.072, 0.06],
    ] as const) {
      context.moveTo(above, -0.01);
      context.lineTo(below, 0.17);
    }
  });
  if (burn > 0.05) {
    fill(context, css(colour(0.93, 0.13, 85), Math.min(1, burn * 1.3)), () => {
      context.moveTo(-0.017, 0.1);
      context.quadraticCurveTo(-0.022, 0.05, 0, 0.1 - 0.13 * burn);
      context.quadraticCurveTo(0.022, 0.05, 0.017, 0.1);
    });
  }
  fillRect(context, mix(wicker, ink, 0.6), -0.02, 0.1, 0.04, 0.018);
  // Two people look out.
  context.beginPath();
  context.arc(-0.025, 0.142, 0.016, 0, 2 * Math.PI);
  context.arc(0.022, 0.148, 0.014, 0, 2 * Math.PI);
  context.rect(-0.043, 0.152, 0.036, 0.03);
  context.rect(0.007, 0.156, 0.03, 0.03);
  context.fill();
  const weave = linearGradient(context, [-0.07, 0, 0.07, 0], {
    0: mix(wicker, ink, 0.45),
    0.7: lighten(wicker, 0.05),
  });
  fill(context, weave, roundRect(-0.068, 0.17, 0.136, 0.1, [0.008, 0.008, 0.026, 0.026]));
  fillRect(context, lighten(wicker, 0.12), -0.073, 0.166, 0.146, 0.014);
  context.restore();
}
