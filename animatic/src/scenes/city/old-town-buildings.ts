import type { Dice } from '../../dice.ts';
import { addBlock, addLine, addShape, type BuildingSketch, type Plot } from '../../drawing/building-sketch.ts';

/** Adds a house of an old town; a plot that is much taller than wide gets a tower. */
export function addOldTownBuilding(sketch: BuildingSketch, plot: Plot, dice: Dice): void {
  if (plot.foot - plot.top > plot.width * 2.6) raiseTower(sketch, plot, dice);
  else dice.pick([raiseGable, raiseGable, raiseStairGable, raiseLongRoof, raiseLongRoof])(sketch, plot, dice);
}

/** Adds a house with a steep roof seen from its end. */
function raiseGable(sketch: BuildingSketch, plot: Plot, dice: Dice): void {
  const { left, width, top, foot } = plot;
  const eaves = top + Math.min(width * dice.between(0.55, 0.85), (foot - top) * 0.5);
  const house = { ...plot, top: eaves };
  addBlock(sketch, house, 0.5);
  addRoof(sketch, house, { peak: top, ridge: 0 });
  addChimney(sketch, left + width * (dice.chance(0.5) ? 0.24 : 0.76), eaves - (eaves - top) * 0.4, width, dice);
  sketch.facades.push(house);
}

/** Adds a house with a stepped gable, as merchants built them. */
function raiseStairGable(sketch: BuildingSketch, plot: Plot): void {
  const { left, width, top, foot } = plot;
  const rise = Math.min(width * 0.72, (foot - top) * 0.5);
  const steps = 4;
  addBlock(sketch, { ...plot, top: top + rise }, 0.5);
  for (let step = 0; step < steps; step++) {
    const share = 1 - step / steps;
    const stair = {
      left: left + (width * (1 - share)) / 2,
      width: width * share,
      top: top + rise * (share - 1 / steps),
      foot: top + rise * share,
    };
    addBlock(sketch, stair, 0.5);
    sketch.roofs.rect(stair.left - width * 0.01, stair.top - width * 0.02, width * share + width * 0.02, width * 0.035);
  }
  sketch.facades.push({ ...plot, top: top + rise * 0.62, left: left + width * 0.12, width: width * 0.76 });
}

/** Adds a house with a roof along the street, with dormers. */
function raiseLongRoof(sketch: BuildingSketch, plot: Plot, dice: Dice): void {
  const { left, width, top, foot } = plot;
  const eaves = top + Math.min(width * dice.between(0.3, 0.45), (foot - top) * 0.45);
  const house = { ...plot, top: eaves };
  addBlock(sketch, house);
  addRoof(sketch, house, { peak: top, ridge: dice.between(0.62, 0.8) });
  const dormers = width > (eaves - top) * 2.4 ? 2 : 1;
  const size = (eaves - top) * 0.42;
  for (let dormer = 0; dormer < dormers; dormer++) {
    const x = left + (width * (dormer + 1)) / (dormers + 1);
    addBlock(sketch, { left: x - size * 0.4, width: size * 0.8, top: eaves - size * 1.15, foot: eaves - size * 0.3 });
    sketch.facades.push({ left: x - size * 0.4, width: size * 0.8, top: eaves - size * 1.2, foot: eaves - size * 0.2 });
  }
  addChimney(sketch, left + width * dice.between(0.15, 0.3), top + size * 0.2, width, dice);
  if (dice.chance(0.5)) addChimney(sketch, left + width * dice.between(0.7, 0.85), top + size * 0.2, width, dice);
  sketch.facades.push(house);
}

/** Adds a church or a town hall: a tower with a spire, an onion dome or a helmet roof. */
function raiseTower(sketch: BuildingSketch, plot: Plot, dice: Dice): void {
  const { left, width, top, foot } = plot;
  const middle = left + width / 2;
  const crown = dice.pick(['spire', 'onion', 'spire', 'dome']);
  const half = width * 0.36;
  const rise = crown === 'spire' ? Math.min((foot - top) * 0.46, width * 2.1) : width * 0.95;
  const shoulder = top + rise;
  const tower = { left: middle - half, width: 2 * half, top: shoulder, foot };
  addBlock(sketch, tower, 0.5);
  const clock = shoulder + width * 0.32;
  sketch.facades.push({
    left: middle - half * 0.6,
    width: half * 1.2,
    top: clock + width * 0.1,
    foot: shoulder + width * 1.1,
  });
  // The nave beside it.
  const nave = { left: left - width * 0.1, width: width * 1.2, top: foot - (foot - shoulder) * 0.42, foot };
  addBlock(sketch, nave);
  addRoof(sketch, nave, { peak: nave.top - width * 0.42, ridge: 0.66 });
  sketch.facades.push(nave);
  sketch.roofs.rect(middle - half * 1.14, shoulder - width * 0.03, half * 2.28, width * 0.07);
  if (crown === 'spire') {
    addRoof(sketch, { ...tower, top: shoulder }, { peak: top, ridge: 0 });
  } else {
    const bulge = crown === 'onion' ? 1.16 : 1;
    for (const [path, from, to] of [
      [sketch.roofs, -1, 1],
      [sketch.shade, sketch.sunSide > 0 ? -1 : 0, sketch.sunSide > 0 ? 0 : 1],
    ] as const) {
      path.moveTo(middle, shoulder);
      if (from < 0) addBulge(path, middle, shoulder, -half, bulge, rise * 0.8);
      if (to > 0) addBulge(path, middle, shoulder, half, bulge, rise * 0.8);
      path.closePath();
    }
  }
  addLine(sketch.lines, middle, shoulder - rise * 0.75, middle, top - width * 0.16);
  sketch.roofs.moveTo(middle, top - width * 0.1);
  sketch.roofs.arc(middle, top - width * 0.1, width * 0.045, 0, 2 * Math.PI);
}

/** Adds one half of an onion dome, from its middle out and up to its tip. */
function addBulge(
  path: BuildingSketch['walls'],
  x: number,
  foot: number,
  half: number,
  bulge: number,
  rise: number,
): void {
  path.moveTo(x, foot);
  path.lineTo(x + half * 0.86, foot);
  path.bezierCurveTo(x + half * bulge * 1.3, foot - rise * 0.45, x + half * 0.5, foot - rise * 0.7, x, foot - rise);
  path.closePath();
}

/** Adds a roof, shaded on its far side; `ridge` is the width of its top as a fraction of the house, 0 for a gable. */
function addRoof(
  sketch: BuildingSketch,
  { left, width, top }: Plot,
  { peak, ridge }: { peak: number; ridge: number },
): void {
  const over = width * 0.05;
  const middle = left + width / 2;
  const half = (width * ridge) / 2;
  const eaves = top + over * 0.5;
  addShape(sketch.roofs, [
    [left - over, eaves],
    [middle - half, peak],
    [middle + half, peak],
    [left + width + over, eaves],
  ]);
  const side = -sketch.sunSide;
  const corner = middle + side * (width / 2 + over);
  const inner = ridge > 0 ? middle + side * (half * 0.45) : middle;
  addShape(sketch.shade, [
    [corner, eaves],
    [middle + side * half, peak],
    [inner, peak],
    [inner, eaves],
  ]);
}

function addChimney(sketch: BuildingSketch, x: number, foot: number, width: number, dice: Dice): void {
  const size = Math.min(width * 0.1, 0.016);
  const top = foot - size * dice.between(2, 3);
  addBlock(sketch, { left: x - size / 2, width: size, top, foot: foot + size * 2 }, 0.5);
  if (dice.chance(0.4)) sketch.flues.push({ x, y: top });
}
