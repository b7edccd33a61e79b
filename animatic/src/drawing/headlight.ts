import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Colour } from './colour.ts';
import { fading, radialGradient } from './paint.ts';

/** Draws the cone of a headlight that points right, down to the ground. */
export function drawHeadlight(
  context: SKRSContext2D,
  { x, y, reach, ground, lamp }: { x: number; y: number; reach: number; ground: number; lamp: Colour },
): void {
  const cone = radialGradient(context, [x, y, 0, x, y, reach], fading(lamp, { 0: 0.4, 0.35: 0.13, 1: 0 }));
  context.fillStyle = cone;
  // A narrow cone within a wide one makes its edge soft.
  for (const spread of [0.19, 0.12]) {
    context.beginPath();
    context.moveTo(x, y - reach * 0.012);
    context.lineTo(x + reach, y - reach * spread);
    context.lineTo(x + reach, ground);
    context.lineTo(x + (ground - y) / spread, ground);
    context.lineTo(x, y + reach * 0.012);
    context.fill();
  }
}
