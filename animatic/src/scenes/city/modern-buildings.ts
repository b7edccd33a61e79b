import type { Dice } from '../../dice.ts';
import { addBlock, addLine, addShape, type BuildingSketch, type Plot } from '../../drawing/building-sketch.ts';

type Raise = (sketch: BuildingSketch, plot: Plot, dice: Dice) => void;

/** Adds a modern building: tall ones taper or end in a mast, low ones have a flat roof with equipment on it. */
export function addModernBuilding(sketch: BuildingSketch, plot: Plot, dice: Dice): void {
  const isTall = plot.foot - plot.top > plot.width * 2.4;
  const raise = isTall
    ? dice.pick([raiseStepped, raiseSlanted, raiseRounded, raiseMasted, raiseMasted, raiseFlat, raiseTwin])
    : dice.pick([
        raiseFlat,
        raiseFlat,
        raiseFlat,
        raiseTank,
        raiseTank,
        raiseTank,
        raiseSlanted,
        raiseTwin,
        raiseTwin,
        raiseTwin,
      ]);
  raise(sketch, plot, dice);
}

const raiseFlat: Raise = (sketch, plot, dice) => {
  const { left, width, top } = plot;
  addBlock(sketch, plot);
  sketch.facades.push(plot);
  addParapet(sketch, plot);
  const box = width * dice.between(0.2, 0.36);
  const boxLeft = left + (width - box) * dice.between(0.15, 0.85);
  addBlock(sketch, { left: boxLeft, width: box, top: top - width * 0.12, foot: top });
  if (dice.chance(0.4)) sketch.flues.push({ x: boxLeft + box / 2, y: top - width * 0.12 });
};

const raiseTwin: Raise = (sketch, plot, dice) => {
  const { left, width, top, foot } = plot;
  const share = dice.between(0.45, 0.62);
  const drop = Math.min(width * dice.between(0.5, 1), (foot - top) * 0.4);
  const high = { left, width: width * share, top, foot };
  const low = { left: left + width * share, width: width * (1 - share), top: top + drop, foot };
  for (const part of [high, low]) {
    addBlock(sketch, part);
    addParapet(sketch, part);
    sketch.facades.push(part);
  }
};

const raiseTank: Raise = (sketch, plot, dice) => {
  const { left, width, top } = plot;
  raiseFlat(sketch, plot, dice);
  const size = Math.min(width * 0.3, 0.05);
  const x = left + width * (dice.chance(0.5) ? 0.26 : 0.74);
  const floor = top - size * 0.55;
  addLine(sketch.lines, x - size * 0.36, top, x - size * 0.3, floor);
  addLine(sketch.lines, x + size * 0.36, top, x + size * 0.3, floor);
  addBlock(sketch, { left: x - size * 0.45, width: size * 0.9, top: floor - size * 0.8, foot: floor });
  addShape(sketch.roofs, [
    [x - size * 0.52, floor - size * 0.8],
    [x, floor - size * 1.18],
    [x + size * 0.52, floor - size * 0.8],
  ]);
};

const raiseStepped: Raise = (sketch, plot, dice) => {
  const { left, width, top, foot } = plot;
  const rise = Math.min(width * 0.75, (foot - top) * 0.2);
  const middle = left + width / 2;
  for (const [index, share] of [1, 0.72, 0.42].entries()) {
    const tier = {
      left: middle - (width * share) / 2,
      width: width * share,
      top: top + rise * (2 - index),
      foot: top + rise * (3 - index),
    };
    const block = index === 0 ? { ...tier, foot } : tier;
    addBlock(sketch, block);
    addParapet(sketch, block);
    sketch.facades.push(block);
  }
  if (dice.chance(0.7)) addMast(sketch, middle, top, width * dice.between(0.5, 1));
};

const raiseSlanted: Raise = (sketch, plot, dice) => {
  const { left, width, top, foot } = plot;
  const drop = Math.min(width * dice.between(0.3, 0.7), (foot - top) * 0.3);
  const isRising = dice.chance(0.5);
  const leftTop = isRising ? top + drop : top;
  const rightTop = isRising ? top : top + drop;
  const right = left + width;
  addShape(sketch.walls, [
    [left, leftTop],
    [right, rightTop],
    [right, foot],
    [left, foot],
  ]);
  const edge = sketch.sunSide > 0 ? left + width * 0.36 : right - width * 0.36;
  const edgeTop = leftTop + ((rightTop - leftTop) * (edge - left)) / width;
  const sideX = sketch.sunSide > 0 ? left : right;
  addShape(sketch.shade, [
    [sideX, sketch.sunSide > 0 ? leftTop : rightTop],
    [edge, edgeTop],
    [edge, foot],
    [sideX, foot],
  ]);
  sketch.facades.push({ ...plot, top: top + drop });
};

const raiseRounded: Raise = (sketch, plot, dice) => {
  const { left, width, top, foot } = plot;
  const middle = left + width / 2;
  const rise = width * dice.between(0.35, 0.6);
  const block = { ...plot, top: top + rise };
  addBlock(sketch, block, 0.5);
  sketch.walls.moveTo(left, block.top);
  sketch.walls.ellipse(middle, block.top, width / 2, rise, 0, Math.PI, 2 * Math.PI);
  sketch.walls.closePath();
  sketch.shade.moveTo(middle, block.top);
  const from = sketch.sunSide > 0 ? Math.PI : 1.5 * Math.PI;
  sketch.shade.ellipse(middle, block.top, width / 2, rise, 0, from, from + Math.PI / 2);
  sketch.shade.closePath();
  sketch.facades.push({ ...block, foot });
  addMast(sketch, middle, top, width * 0.35);
};

const raiseMasted: Raise = (sketch, plot, dice) => {
  const { left, width, top, foot } = plot;
  const head = { left: left + width * 0.16, width: width * 0.68, top: top + width * 0.1, foot: top + width * 0.45 };
  const body = { left, width, top: head.foot, foot };
  for (const part of [body, head]) {
    addBlock(sketch, part);
    addParapet(sketch, part);
  }
  sketch.facades.push(body);
  addMast(sketch, left + width * dice.between(0.4, 0.6), head.top, width * dice.between(0.8, 1.6));
};

/** Adds a crane on top of a house. */
export function addCrane(sketch: BuildingSketch, { left, width, top }: Plot, dice: Dice): void {
  const side = dice.sign();
  const x = left + width / 2;
  const height = Math.min(0.16, width * 1.5);
  const jib = top - height;
  for (const offset of [-0.05, 0.05])
    addLine(sketch.lines, x + offset * height, top, x + offset * height, jib - height * 0.1);
  for (const step of [0.05, 0.25, 0.45, 0.65])
    addLine(sketch.lines, x - 0.05 * height, top - step * height, x + 0.05 * height, top - (step + 0.2) * height);
  addLine(sketch.lines, x - side * height * 0.36, jib, x + side * height, jib);
  addLine(sketch.lines, x, jib - height * 0.22, x + side * height * 0.8, jib);
  addLine(sketch.lines, x, jib - height * 0.22, x - side * height * 0.3, jib);
  addLine(sketch.lines, x, jib, x, jib - height * 0.22);
  addLine(sketch.lines, x + side * height * 0.7, jib, x + side * height * 0.7, jib + height * 0.3);
  sketch.walls.rect(x - side * height * 0.3 - height * 0.06, jib, height * 0.12, height * 0.12);
  sketch.beacons.push({ x, y: jib - height * 0.22 });
}

function addMast(sketch: BuildingSketch, x: number, foot: number, height: number): void {
  addLine(sketch.lines, x, foot, x, foot - height);
  addShape(sketch.walls, [
    [x - height * 0.05, foot],
    [x, foot - height * 0.7],
    [x + height * 0.05, foot],
  ]);
  sketch.beacons.push({ x, y: foot - height });
}

/** Adds the edge of a flat roof, where snow lies in winter. */
function addParapet({ roofs }: BuildingSketch, { left, width, top }: Plot): void {
  const thickness = Math.min(0.008, width * 0.07);
  roofs.rect(left - thickness * 0.3, top - thickness * 0.6, width + thickness * 0.6, thickness);
}
