import type { Path2D } from '@napi-rs/canvas';
import type { Dice } from '../../dice.ts';

/** Adds one coral to a path that will be stroked: branches that fork and bend upwards, with its foot at x, y. */
export function addCoral(path: Path2D, dice: Dice, { x, y, height }: { x: number; y: number; height: number }): void {
  for (const angle of [-0.65, 0, 0.65])
    addBranch(path, dice, { x, y, angle: angle * dice.between(0.7, 1.2), length: height * 0.55, forks: 2 });
}

function addBranch(
  path: Path2D,
  dice: Dice,
  { x, y, angle, length, forks }: { x: number; y: number; angle: number; length: number; forks: number },
): void {
  const end = { x: x + length * Math.sin(angle), y: y - length * Math.cos(angle) };
  path.moveTo(x, y);
  path.quadraticCurveTo(x + 0.7 * length * Math.sin(angle), y - 0.4 * length, end.x, end.y);
  if (forks === 0) return;
  for (const side of [-1, 1]) {
    addBranch(path, dice, {
      ...end,
      angle: 0.7 * angle + side * dice.between(0.2, 0.5),
      length: length * dice.between(0.4, 0.65),
      forks: forks - 1,
    });
  }
}
