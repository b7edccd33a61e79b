import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, css } from './colour.ts';

/** Draws the cone of a headlight that points right, down to the ground. */
export function drawHeadlight(
  context: SKRSContext2D,
  { x, y, reach, ground, lamp }: { x: number; y: number; reach: number; ground: number; lamp: Colour },
): void {
  const cone = context.createRadialGradient(x, y, 0, x, y, reach);
  cone.addColorStop(0, css(lamp, 0.4));
  cone.addColorStop(0.35, css(lamp, 0.13));
  cone.addColorStop(1, css(lamp, 0));
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
