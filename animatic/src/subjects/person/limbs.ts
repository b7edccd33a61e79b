import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, css } from '../../drawing/colour.ts';
import { ease } from '../../drawing/ease.ts';
import { disc, drawAt, fill, type Point } from '../../drawing/paint.ts';
import { middleJoint } from '../bones.ts';

// All lengths are fractions of the walker's height; the feet are at y = 0.

/** The fraction of a cycle that a foot is on the ground. */
const stance = 0.6;
const hip = { x: 0, y: -0.47 };
const thigh = 0.25;
const shin = 0.25;

interface Leg {
  turn: number;
  stride: number;
  bob: number;
  tone: Colour;
  boots: Colour;
}

/** Returns where an ankle is: on the ground it moves backwards with the ground, in the air it swings forward. */
function ankleAt(turn: number, stride: number): { x: number; y: number; tilt: number } {
  const place = turn - Math.floor(turn);
  const reach = (stance * stride) / 2;
  if (place < stance) {
    const along = place / stance;
    // The heel lifts before the foot leaves the ground.
    const push = Math.max(0, (along - 0.62) / 0.38);
    return {
      x: reach * (1 - 2 * along) + 0.02 * push,
      y: -0.045 - 0.05 * push * push,
      tilt: 0.75 * push * push - 0.25 * Math.max(0, 1 - along / 0.12),
    };
  }
  const along = (place - stance) / (1 - stance);
  return {
    x: -reach + 0.02 + (2 * reach - 0.02) * ease(along),
    y: -0.045 - 0.05 * (1 - along) ** 2 - 0.075 * Math.sin(Math.PI * along) ** 1.2,
    tilt: 0.75 * (1 - along) ** 2 - 0.25 * along * along,
  };
}

/** Draws a leg at its place in the cycle. */
export function drawLeg(context: SKRSContext2D, { turn, stride, bob, tone, boots }: Leg): void {
  const ankle = ankleAt(turn, stride);
  const top = { x: hip.x, y: hip.y + bob };
  const distance = Math.min(thigh + shin - 0.001, Math.hypot(ankle.x - top.x, ankle.y - top.y));
  const direction = Math.atan2(ankle.y - top.y, ankle.x - top.x);
  const knee = middleJoint(top, ankle, { upper: thigh, lower: shin, bend: 1 });
  const foot = { x: top.x + distance * Math.cos(direction), y: top.y + distance * Math.sin(direction) };
  context.strokeStyle = css(tone);
  context.lineWidth = 0.082;
  strokeLine(context, [top, knee]);
  context.lineWidth = 0.064;
  strokeLine(context, [knee, foot]);
  drawAt(context, { ...foot, angle: ankle.tilt }, () => {
    fill(context, boots, () => {
      context.moveTo(-0.045, -0.07);
      context.lineTo(0.038, -0.07);
      context.quadraticCurveTo(0.042, -0.005, 0.085, 0.012);
      context.quadraticCurveTo(0.115, 0.026, 0.11, 0.046);
      context.lineTo(-0.042, 0.046);
      context.closePath();
    });
  });
}

/** Draws an arm that hangs at an angle from the shoulder; returns where its hand is. */
export function drawArm(
  context: SKRSContext2D,
  { angle, sleeve, hand, width }: { angle: number; sleeve: Colour; hand: Colour; width: number },
): Point {
  const shoulder = { x: 0.005, y: -0.765 };
  const upper = Math.PI / 2 + angle;
  const elbow = { x: shoulder.x + 0.155 * Math.cos(upper), y: shoulder.y + 0.155 * Math.sin(upper) };
  // The elbow bends more in front than behind.
  const lower = upper - 0.25 - 0.5 * Math.max(0, -angle);
  const wrist = { x: elbow.x + 0.13 * Math.cos(lower), y: elbow.y + 0.13 * Math.sin(lower) };
  fill(context, hand, disc(wrist.x + 0.034 * Math.cos(lower), wrist.y + 0.034 * Math.sin(lower), 0.024));
  context.strokeStyle = css(sleeve);
  context.lineWidth = width;
  strokeLine(context, [shoulder, elbow, wrist]);
  return wrist;
}

/** Strokes a line through points. */
export function strokeLine(context: SKRSContext2D, points: readonly Point[]): void {
  context.beginPath();
  for (const { x, y } of points) context.lineTo(x, y);
  context.stroke();
}
