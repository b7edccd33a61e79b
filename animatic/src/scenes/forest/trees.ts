import type { Path2D } from '@napi-rs/canvas';
import type { Dice } from '../../dice.ts';
import { addLineThrough, type Point } from '../../drawing/paint.ts';

/** The kind of trees in a wood, which decides the bark, the leaves and the branches. */
export type TreeKind = 'conifer' | 'birch' | 'broadleaf';

interface Trunk {
  x: number;
  /** The y of its foot. */
  foot: number;
  top: number;
  /** The width at breast height. */
  width: number;
  /** The horizontal distance from the foot to the top. */
  lean: number;
  /** How far the roots spread, in widths. */
  roots: number;
}

/** Adds a tall trunk. With `side`, adds only a `share` of its width on that side, for the light on it. */
export function addTrunk(path: Path2D, { x, foot, top, width, lean, roots }: Trunk, side = 0, share = 1): void {
  const height = foot - top;
  const half = width / 2;
  const left = side > 0 ? x + half * (1 - 2 * share) : x - half;
  const right = side < 0 ? x - half * (1 - 2 * share) : x + half;
  const leftFoot = side > 0 ? left : x - half * (1 + roots);
  const rightFoot = side < 0 ? right : x + half * (1 + roots);
  const narrow = 0.62;
  const breast = foot - Math.min(1.6 * width, 0.3 * height);
  path.moveTo(leftFoot, foot);
  path.quadraticCurveTo(left, foot - 0.35 * width, left + 0.06 * lean, breast);
  path.quadraticCurveTo(left + 0.3 * lean, foot - 0.6 * height, x + lean + (left - x) * narrow, top);
  path.lineTo(x + lean + (right - x) * narrow, top);
  path.quadraticCurveTo(right + 0.3 * lean, foot - 0.6 * height, right + 0.06 * lean, breast);
  path.quadraticCurveTo(right, foot - 0.35 * width, rightFoot, foot);
  path.closePath();
}

/** Adds the dark scars of a birch, from one side of its bark or the other. */
export function addBirchMarks(path: Path2D, dice: Dice, { x, foot, top, width, lean }: Trunk): void {
  const height = foot - top;
  for (let y = foot - width; y > top; y -= width * dice.between(0.5, 1.5)) {
    const along = (foot - y) / height;
    const half = (width / 2) * (1 - 0.36 * along);
    const side = dice.sign();
    const reach = half * dice.between(0.5, 1.5);
    const thick = width * dice.between(0.04, 0.12);
    const edge = x + lean * along * along + side * half;
    path.moveTo(edge, y - thick);
    path.quadraticCurveTo(edge - side * reach * 0.6, y - thick, edge - side * reach, y + thick * 0.4);
    path.quadraticCurveTo(edge - side * reach * 0.5, y + thick, edge, y + thick);
    path.closePath();
  }
}

/**
 * Adds a cluster of leaves as one outline: a round shape with the tips of leaves around it. It runs anticlockwise, as
 * all shapes in a canopy must, because a shape that runs the other way would cut holes where it overlaps others.
 */
export function addLeafCluster(path: Path2D, dice: Dice, x: number, y: number, radius: number): void {
  const leaves = 12;
  const step = (2 * Math.PI) / leaves;
  const pointAt = (angle: number, reach: number) => ({
    x: x + reach * radius * Math.cos(angle),
    y: y - 0.75 * reach * radius * Math.sin(angle),
  });
  const first = pointAt(0, 0.74);
  path.moveTo(first.x, first.y);
  for (let leaf = 0; leaf < leaves; leaf++) {
    const angle = leaf * step;
    // Leaves hang: their tips turn downwards.
    const tip = pointAt(angle + step * (0.5 - 0.45 * Math.cos(angle)), dice.between(0.95, 1.45));
    const outer = pointAt(angle + 0.15 * step, 1.02);
    const inner = pointAt(angle + 0.85 * step, 1.02);
    const end = pointAt(angle + step, 0.74);
    path.quadraticCurveTo(outer.x, outer.y, tip.x, tip.y);
    path.quadraticCurveTo(inner.x, inner.y, end.x, end.y);
  }
  path.closePath();
}

/** Adds a conifer's hanging bough, a stem with a comb of needles, anticlockwise too. */
export function addBough(
  path: Path2D,
  dice: Dice,
  { x, y, length, side }: { x: number; y: number; length: number; side: number },
): void {
  const teeth = 6;
  const fall = dice.between(0.25, 0.5);
  const pointAt = (along: number, below: number) => ({
    x: x + side * length * along,
    y: y + length * (fall * along ** 1.6 + below),
  });
  const points = [pointAt(0, -0.1), pointAt(0.35, -0.06), pointAt(0.7, -0.03), pointAt(1, 0)];
  for (let tooth = teeth - 1; tooth >= 0; tooth--) {
    points.push(
      pointAt((tooth + 0.55) / teeth, 0.045),
      pointAt((tooth + 0.3) / teeth + 0.04, 0.16 + 0.05 * (tooth % 2)),
    );
  }
  if (side > 0) points.reverse();
  addLineThrough(path, points);
  path.closePath();
}

interface Branch {
  start: Point;
  length: number;
  angle: number;
  width: number;
  /** How often it forks. */
  forks: number;
}

/** Adds a bare, tapering branch that forks. */
export function addBareBranch(path: Path2D, dice: Dice, { start, length, angle, width, forks }: Branch): void {
  const end = { x: start.x + length * Math.cos(angle), y: start.y + length * Math.sin(angle) };
  const bend = angle + dice.between(-0.35, 0.35);
  const middle = { x: start.x + 0.55 * length * Math.cos(bend), y: start.y + 0.55 * length * Math.sin(bend) };
  const across = { x: -Math.sin(angle) * width * 0.5, y: Math.cos(angle) * width * 0.5 };
  const narrow = forks > 0 ? 0.5 : 0.1;
  path.moveTo(start.x + across.x, start.y + across.y);
  path.quadraticCurveTo(
    middle.x + 0.8 * across.x,
    middle.y + 0.8 * across.y,
    end.x + narrow * across.x,
    end.y + narrow * across.y,
  );
  path.lineTo(end.x - narrow * across.x, end.y - narrow * across.y);
  path.quadraticCurveTo(middle.x - 0.8 * across.x, middle.y - 0.8 * across.y, start.x - across.x, start.y - across.y);
  path.closePath();
  if (forks <= 0) return;
  const fork = { width: width * 0.5, forks: forks - 1 };
  for (const side of [-1, 1]) {
    const turned = angle + side * dice.between(0.2, 0.6);
    addBareBranch(path, dice, { ...fork, start: end, length: length * dice.between(0.55, 0.8), angle: turned });
  }
  if (dice.chance(0.6)) {
    const turned = angle + dice.sign() * dice.between(0.5, 0.9);
    addBareBranch(path, dice, { ...fork, start: middle, length: length * 0.5, angle: turned, forks: 0 });
  }
}
