import type { Path2D } from '@napi-rs/canvas';
import type { Dice } from '../../dice.ts';
import { addLine } from '../../drawing/building-sketch.ts';
import { addDisc, scaled } from '../../drawing/paint.ts';

interface StreetTree {
  x: number;
  foot: number;
  height: number;
  /** 1 if the sun is to the right, −1 if it is to the left. */
  sunSide: number;
}

interface TreePaths {
  trunks: Path2D;
  crowns: Path2D;
  /** The parts of the crowns that the sun reaches. */
  lights: Path2D;
}

/** Adds a street tree, round on a bare trunk. The trunk must be stroked, the rest filled. */
export function addStreetTree(
  { trunks, crowns, lights }: TreePaths,
  dice: Dice,
  { x, foot, height, sunSide }: StreetTree,
): void {
  addLine(trunks, x, foot, x, foot - height * 0.6);
  addLine(trunks, x, foot - height * 0.36, x + height * 0.12, foot - height * 0.52);
  addLine(trunks, x, foot - height * 0.42, x - height * 0.1, foot - height * 0.55);
  const leaves = 9;
  for (let leaf = 0; leaf < leaves; leaf++) {
    const angle = (leaf / leaves) * 2 * Math.PI + dice.between(-0.2, 0.2);
    const leafX = x + Math.cos(angle) * height * 0.19;
    const leafY = foot - height * 0.7 + Math.sin(angle) * height * 0.17;
    const radius = height * dice.between(0.1, 0.15);
    addDisc(crowns, leafX, leafY, radius);
    const isSunny = Math.cos(angle) * sunSide - Math.sin(angle) > 0.25;
    if (isSunny) addDisc(lights, leafX + sunSide * radius * 0.1, leafY - radius * 0.12, radius * 0.74);
  }
  addDisc(crowns, x, foot - height * 0.7, height * 0.2);
}

/** Adds a poplar, slender and pointed. */
export function addPoplar(
  { trunks, crowns, lights }: TreePaths,
  dice: Dice,
  { x, foot, height, sunSide }: StreetTree,
): void {
  addLine(trunks, x, foot, x, foot - height * 0.3);
  const at = scaled({ x, y: foot }, height * dice.between(0.12, 0.15), -height);
  crowns.moveTo(...at(0, 1.15));
  crowns.bezierCurveTo(...at(1.1, 0.75), ...at(1.3, 0.2), ...at(0, 0.12));
  crowns.bezierCurveTo(...at(-1.3, 0.2), ...at(-1.1, 0.75), ...at(0, 1.15));
  lights.moveTo(...at(0, 1.15));
  lights.bezierCurveTo(...at(sunSide * 1.1, 0.75), ...at(sunSide * 1.3, 0.2), ...at(0, 0.12));
  lights.bezierCurveTo(...at(sunSide * 0.5, 0.4), ...at(sunSide * 0.3, 0.8), ...at(0, 1.15));
}
