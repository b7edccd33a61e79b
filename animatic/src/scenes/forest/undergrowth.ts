import type { Path2D } from '@napi-rs/canvas';
import type { Dice } from '../../dice.ts';
import { scaled } from '../../drawing/paint.ts';

/** Adds a fern: fronds that rise from one root and bend outwards, each with a comb of leaflets. */
export function addFern(path: Path2D, dice: Dice, x: number, y: number, size: number): void {
  const fronds = 5;
  for (let frond = 0; frond < fronds; frond++) {
    const out = (frond / (fronds - 1) - 0.5) * 2;
    addFrond(path, x, y, size * dice.between(0.8, 1.1) * (1 - 0.25 * Math.abs(out)), out + dice.between(-0.15, 0.15));
  }
}

function addFrond(path: Path2D, x: number, y: number, length: number, out: number): void {
  const pointAt = (along: number) => ({
    x: x + out * length * (0.35 * along + 0.6 * along * along),
    y: y - length * (along * 1.15 - (0.25 + 0.4 * Math.abs(out)) * along * along),
  });
  const leaflets = 7;
  const tooth = (along: number, side: number) => {
    const here = pointAt(along);
    const next = pointAt(along + 0.05);
    const angle = Math.atan2(next.y - here.y, next.x - here.x) + side * 0.95;
    const reach = length * 0.34 * (1.05 - along);
    path.lineTo(here.x + reach * Math.cos(angle), here.y + reach * Math.sin(angle));
  };
  const notch = (along: number) => {
    const { x: notchX, y: notchY } = pointAt(along);
    path.lineTo(notchX, notchY);
  };
  path.moveTo(x - 0.02 * length, y);
  for (let leaflet = 1; leaflet < leaflets; leaflet++) {
    tooth(leaflet / leaflets, -1);
    notch((leaflet + 0.6) / leaflets);
  }
  notch(1.05);
  for (let leaflet = leaflets - 1; leaflet > 0; leaflet--) {
    notch((leaflet + 0.6) / leaflets + 0.02);
    tooth(leaflet / leaflets, 1);
  }
  path.lineTo(x + 0.02 * length, y);
  path.closePath();
}

/** Adds a tuft of grass. */
export function addTuft(path: Path2D, dice: Dice, x: number, y: number, size: number): void {
  const blades = 5;
  for (let blade = 0; blade < blades; blade++) {
    const out = (blade / (blades - 1) - 0.5) * dice.between(0.8, 1.4);
    const tall = size * dice.between(0.6, 1);
    const foot = x + out * size * 0.25;
    path.moveTo(foot - size * 0.05, y);
    path.quadraticCurveTo(foot, y - tall * 0.6, foot + out * tall * 0.8, y - tall);
    path.quadraticCurveTo(foot + size * 0.08, y - tall * 0.5, foot + size * 0.05, y);
    path.closePath();
  }
}

/** Adds a mushroom: the cap to one path, the stem to another. */
export function addMushroom(cap: Path2D, stem: Path2D, x: number, y: number, size: number): void {
  const at = scaled({ x, y }, size, size);
  stem.moveTo(...at(-0.13, 0));
  stem.quadraticCurveTo(...at(-0.08, -0.4), ...at(-0.09, -0.62));
  stem.lineTo(...at(0.09, -0.62));
  stem.quadraticCurveTo(...at(0.08, -0.4), ...at(0.15, 0));
  stem.closePath();
  cap.moveTo(...at(-0.46, -0.55));
  cap.bezierCurveTo(...at(-0.42, -1.14), ...at(0.42, -1.14), ...at(0.46, -0.55));
  cap.quadraticCurveTo(...at(0, -0.68), ...at(-0.46, -0.55));
  cap.closePath();
}
