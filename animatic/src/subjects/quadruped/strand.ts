import type { SKRSContext2D } from '@napi-rs/canvas';
import { addLineThrough, type Point } from '../../drawing/paint.ts';

/** A tail or a lock of a mane. */
export interface Strand {
  root: Point;
  /** Its direction at the root, in radians: 0 is forwards, π backwards, −π/2 up. */
  direction: number;
  length: number;
  /** How far it turns along its length, in radians. */
  curl: number;
  /** Half its thickness from root to tip, as a function of the share of the length. */
  halfWidth: (along: number) => number;
  /** How far waves bend it, in radians, and where in their cycle they are. */
  wave: number;
  turn: number;
}

const steps = 10;

/** Adds a strand to the path: waves run along it from the root to the tip and grow on the way. */
export function addStrand(
  context: SKRSContext2D,
  { root, direction, length, curl, halfWidth, wave, turn }: Strand,
): void {
  const sides: [Point[], Point[]] = [[], []];
  let { x, y } = root;
  for (let step = 0; step <= steps; step++) {
    const along = step / steps;
    const bend = wave * along ** 0.7 * Math.sin(2 * Math.PI * (turn - 0.7 * along));
    const angle = direction + curl * along * along + bend;
    const half = halfWidth(along);
    sides[0].push({ x: x + half * Math.sin(angle), y: y - half * Math.cos(angle) });
    sides[1].push({ x: x - half * Math.sin(angle), y: y + half * Math.cos(angle) });
    x += (length / steps) * Math.cos(angle);
    y += (length / steps) * Math.sin(angle);
  }
  const [first, second] = sides;
  addLineThrough(context, [...first, ...second.toReversed()]);
  context.closePath();
}
