import type { Path2D, SKRSContext2D } from '@napi-rs/canvas';

/** Adds a thin lens, pointed at both ends: the shape of a glint or a ripple seen from the side. */
export function addLens(
  path: Path2D | SKRSContext2D,
  x: number,
  y: number,
  halfLength: number,
  halfHeight: number,
): void {
  path.moveTo(x - halfLength, y);
  path.quadraticCurveTo(x, y - 2 * halfHeight, x + halfLength, y);
  path.quadraticCurveTo(x, y + 2 * halfHeight, x - halfLength, y);
}
