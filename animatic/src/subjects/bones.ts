import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Point } from '../drawing/paint.ts';

/** Two bones with a joint between them. */
export interface Bones {
  upper: number;
  lower: number;
  /** 1 if the joint points forwards, as a knee does; −1 if backwards, as an elbow does. */
  bend: 1 | -1;
}

/** Returns the elbow or knee between two points. */
export function middleJoint(top: Point, end: Point, { upper, lower, bend }: Bones): Point {
  const distance = Math.min(upper + lower - 0.001, Math.hypot(end.x - top.x, end.y - top.y));
  const direction = Math.atan2(end.y - top.y, end.x - top.x);
  const cosine = (upper * upper + distance * distance - lower * lower) / (2 * upper * distance);
  const angle = direction - bend * Math.acos(Math.max(-1, Math.min(1, cosine)));
  return { x: top.x + upper * Math.cos(angle), y: top.y + upper * Math.sin(angle) };
}

/** Returns the point that divides a line. */
export function between(from: Point, to: Point, share: number): Point {
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

/** Adds two circles and everything between them: a bone with its muscles. */
export function addTapered(context: SKRSContext2D, from: Point, start: number, to: Point, end: number): void {
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  const direction = Math.atan2(to.y - from.y, to.x - from.x);
  const open = Math.acos(Math.max(-1, Math.min(1, (start - end) / Math.max(distance, 1e-6))));
  context.moveTo(from.x + start * Math.cos(direction + open), from.y + start * Math.sin(direction + open));
  context.arc(from.x, from.y, start, direction + open, direction - open + 2 * Math.PI);
  context.arc(to.x, to.y, end, direction - open, direction + open);
  context.closePath();
}
