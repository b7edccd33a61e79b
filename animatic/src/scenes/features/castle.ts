import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import type { Dice } from '../../dice.ts';
import { type Colour, colour, css, lighten, mix } from '../../drawing/colour.ts';
import { addFirs } from '../../drawing/firs.ts';
import type { Layer } from '../../drawing/layer.ts';
import type { Moment } from '../../drawing/moment.ts';
import { createNoise } from '../../drawing/noise.ts';
import { fill, fillRect, linearGradient } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';
import { createSprite } from '../../drawing/sprite.ts';

interface Place {
  /** The middle of its crag's foot. */
  x: number;
  y: number;
  /** The width of the castle. */
  size: number;
  /** How far the crag lifts the castle above its foot. */
  rise: number;
  depth: number;
}

interface Tower {
  x: number;
  width: number;
  height: number;
  /** The height of its pointed roof; 0 for battlements. */
  roof: number;
  hasFlag?: boolean;
}

/** The towers from far to near, in widths of the castle. The walls are in front of the first three. */
const towers: readonly Tower[] = [
  { x: 0.1, width: 0.1, height: 0.84, roof: 0.3, hasFlag: true },
  { x: -0.15, width: 0.12, height: 0.6, roof: 0.26 },
  { x: 0.0, width: 0.2, height: 0.52, roof: 0 },
  { x: 0.3, width: 0.13, height: 0.46, roof: 0.24, hasFlag: true },
  { x: -0.36, width: 0.13, height: 0.4, roof: 0.2, hasFlag: true },
  { x: 0.49, width: 0.11, height: 0.3, roof: 0.17 },
  { x: -0.52, width: 0.1, height: 0.26, roof: 0 },
];
const towersBehindWalls = 3;
const wallHeight = 0.2;

type Shapes = ReturnType<typeof createShapes>;
type Tones = Record<'stone' | 'shade' | 'roof' | 'roofShade' | 'slits', Colour>;

/** The height of the castle up to the tip of its highest flag, in multiples of its width. */
const heightPerWidth = 1.24;

/** Creates a castle on a crag: towers with pointed roofs and flags, and windows that are lit unless it is day. */
export function createCastle(setting: Setting, { x, y, depth, ...wanted }: Place): Layer {
  // Below a high horizon it is smaller, so that it is seen whole.
  const fit = Math.min(1, (y - 0.07) / (wanted.rise + heightPerWidth * wanted.size));
  const [size, rise] = [fit * wanted.size, fit * wanted.rise];
  const { palette, dice, sun, pixelsPerUnit } = setting;
  const air = 0.5 + 0.6 * depth;
  const shadedSide = sun.x < x ? 1 : -1;
  // The castle is mirrored now and then, so that its highest tower is not always on the same side.
  const facing = dice.sign();
  const stone = palette.far(palette.lit(dice.pick([colour(0.86, 0.03, 80), colour(0.8, 0.035, 60)])), air);
  const slate = palette.far(palette.lit(dice.pick([colour(0.48, 0.09, 255), colour(0.52, 0.13, 32)])), air);
  const roof = palette.coverAmount === 1 ? mix(slate, palette.far(palette.cover, air), 0.75) : slate;
  const tones = {
    stone,
    shade: mix(stone, mix(palette.skyTop, palette.ink, 0.45), 0.34),
    roof,
    roofShade: mix(roof, palette.ink, 0.3),
    slits: palette.isDay ? mix(stone, palette.ink, 0.6) : palette.lamp,
  };
  const top = -rise / size;
  const behind = createShapes();
  const front = createShapes();
  for (const [index, tower] of towers.entries())
    addTower(index < towersBehindWalls ? behind : front, { ...tower, x: facing * tower.x }, top, shadedSide);
  const hall = createShapes();
  addHall(hall, top);
  const curtain = createShapes();
  addCurtain(curtain, top, facing * 0.12);
  const crag = createCrag(setting, dice, { top, air, shadedSide });
  const box = { left: -1.15, top: -1.3 + top, width: 2.3, height: 1.55 - top };
  const drawStill = createSprite(pixelsPerUnit * size, box, (context) => {
    crag(context);
    for (const shapes of [behind, hall]) fillShapes(context, shapes, tones);
    // The outer wall is a little darker, so that its battlements show before the hall.
    fillShapes(context, curtain, { ...tones, stone: mix(tones.stone, tones.shade, 0.4) });
    fillShapes(context, front, tones);
  });
  const poles = towers
    .filter(({ hasFlag }) => hasFlag)
    .map((tower) => ({ x: facing * tower.x, y: top - tower.height - tower.roof }));
  const pole = css(mix(stone, palette.ink, 0.5));
  const cloth = css(palette.far(palette.accent, air + 0.2));
  return {
    depth,
    draw(context, moment) {
      context.translate(x, y);
      context.scale(size, size);
      for (const [index, { x: poleX, y: poleY }] of poles.entries()) {
        fillRect(context, pole, poleX - 0.004, poleY - 0.085, 0.008, 0.1);
        drawFlag(context, moment, { x: poleX, y: poleY - 0.085, beat: index / 3, cloth });
      }
      drawStill(context);
    },
  };
}

function createShapes() {
  return {
    walls: new Path2D(),
    shade: new Path2D(),
    roofs: new Path2D(),
    roofShade: new Path2D(),
    slits: new Path2D(),
  };
}

function fillShapes(context: SKRSContext2D, shapes: Shapes, tones: Tones): void {
  fill(context, tones.stone, shapes.walls);
  fill(context, tones.shade, shapes.shade);
  fill(context, tones.roof, shapes.roofs);
  fill(context, tones.roofShade, shapes.roofShade);
  fill(context, tones.slits, shapes.slits);
}

/** Adds a tower with a head that is a little broader than its body. */
function addTower(shapes: Shapes, { x, width, height, roof }: Tower, ground: number, shadedSide: number): void {
  const half = width / 2;
  const head = 0.62 * width;
  const crown = ground - height;
  const shadeFrom = shadedSide > 0 ? x + 0.08 * width : x - half;
  shapes.walls.rect(x - half, crown, width, height + 0.04);
  shapes.walls.rect(x - head, crown, 2 * head, 0.5 * width);
  shapes.shade.rect(shadeFrom, crown, 0.42 * width, height + 0.04);
  shapes.shade.rect(shadedSide > 0 ? x + 0.08 * width : x - head, crown, head - 0.08 * width, 0.5 * width);
  // The head throws a narrow shadow on the body.
  shapes.shade.rect(x - half, crown + 0.5 * width, width, 0.08 * width);
  if (roof > 0) {
    addSpire(shapes, { x, y: crown, half: 1.12 * head, height: roof }, shadedSide);
  } else {
    addBattlements(shapes, { from: x - head, to: x + head, y: crown, tooth: (2 * head) / 7 }, shadedSide, x);
  }
  const slit = 0.13 * width;
  for (const along of [0.22, 0.52, 0.78]) {
    const y = crown + 0.55 * width + along * (height - 0.75 * width);
    if (height * along > 0.12) addArched(shapes.slits, x - 0.06 * width, y, slit, 2.4 * slit);
  }
}

/** Adds a pointed roof whose eaves curve outwards. */
function addSpire(
  shapes: Shapes,
  { x, y, half, height }: { x: number; y: number; half: number; height: number },
  shadedSide: number,
): void {
  const curve = (path: Path2D, side: number) => {
    path.moveTo(x, y - height);
    path.quadraticCurveTo(x + side * 0.42 * half, y - 0.4 * height, x + side * half, y + 0.012);
  };
  curve(shapes.roofs, -1);
  shapes.roofs.quadraticCurveTo(x, y + 0.03, x + half, y + 0.012);
  shapes.roofs.quadraticCurveTo(x + 0.42 * half, y - 0.4 * height, x, y - height);
  curve(shapes.roofShade, shadedSide);
  shapes.roofShade.quadraticCurveTo(x + shadedSide * 0.5 * half, y + 0.025, x + shadedSide * 0.12 * half, y + 0.022);
  shapes.roofShade.closePath();
}

function addBattlements(
  shapes: Shapes,
  { from, to, y, tooth }: { from: number; to: number; y: number; tooth: number },
  shadedSide: number,
  middle: number,
): void {
  for (let x = from; x < to - 0.5 * tooth; x += 2 * tooth) {
    const isShaded = shadedSide * (x + tooth / 2 - middle) > 0.08 * (to - from);
    (isShaded ? shapes.shade : shapes.walls).rect(x, y - tooth, tooth, 1.05 * tooth);
  }
}

/** Adds the hall between the towers. */
function addHall(shapes: Shapes, ground: number): void {
  const hallTop = ground - 0.36;
  shapes.walls.rect(-0.26, hallTop, 0.52, 0.4);
  shapes.roofs.moveTo(-0.29, hallTop + 0.01);
  shapes.roofs.lineTo(-0.21, hallTop - 0.12);
  shapes.roofs.lineTo(0.21, hallTop - 0.12);
  shapes.roofs.lineTo(0.29, hallTop + 0.01);
  shapes.roofs.closePath();
  for (const x of [-0.2, -0.12, -0.04, 0.04, 0.12, 0.2])
    addArched(shapes.slits, x - 0.012, hallTop + 0.05, 0.024, 0.055);
}

/** Adds the outer wall with its battlements and the gate. */
function addCurtain(shapes: Shapes, ground: number, gateX: number): void {
  const [from, to] = [-0.55, 0.53];
  const top = ground - wallHeight;
  shapes.walls.rect(from, top, to - from, wallHeight + 0.05);
  addBattlements(shapes, { from, to, y: top, tooth: 0.024 }, 0, 0);
  shapes.shade.rect(from, top + 0.04, to - from, 0.008);
  shapes.walls.rect(gateX - 0.07, top - 0.03, 0.14, wallHeight + 0.05);
  shapes.roofs.moveTo(gateX - 0.085, top - 0.025);
  shapes.roofs.lineTo(gateX, top - 0.11);
  shapes.roofs.lineTo(gateX + 0.085, top - 0.025);
  shapes.roofs.closePath();
  addArched(shapes.roofShade, gateX - 0.037, ground - 0.1, 0.074, 0.12);
}

/** Adds an opening with a round top. */
function addArched(path: Path2D, x: number, y: number, width: number, height: number): void {
  path.roundRect(x, y, width, height, [width / 2, width / 2, 0, 0]);
}

interface Crag {
  top: number;
  air: number;
  shadedSide: number;
}

/** Creates the rock that the castle stands on, with grass on its shoulders; it ends far below its foot. */
function createCrag({ palette }: Setting, dice: Dice, { top, air, shadedSide }: Crag) {
  const rough = createNoise(dice, { period: 0.9, octaves: 4 });
  const foot = 0.25;
  // Steep below the walls and gentler further down, as scree is.
  const widthAt = (along: number) => 0.6 + 0.12 * along + 0.42 * along ** 2.4;
  const steps = 22;
  const slope = (side: number) =>
    Array.from({ length: steps + 1 }, (_, index) => {
      const along = index / steps;
      const jitter = index === 0 ? 0 : 0.075 * Math.min(1, 4 * along) * rough(1.3 * along + 0.4 * side);
      return { x: side * (widthAt(along) + jitter), y: top + (foot - top) * along };
    });
  const [left, right] = [slope(-1), slope(1)];
  const body = new Path2D();
  for (const point of [...left.toReversed(), ...right]) body.lineTo(point.x, point.y);
  body.closePath();
  const shade = new Path2D();
  const edge = slope(shadedSide).map((point) => ({ x: 0.32 * point.x + 0.16 * rough(2.1 * point.y), y: point.y }));
  for (const point of [...(shadedSide > 0 ? right : left), ...edge.toReversed()]) shade.lineTo(point.x, point.y);
  shade.closePath();
  const firs = new Path2D();
  for (const [side, points] of [
    [-1, left],
    [1, right],
  ] as const) {
    const topAt = (x: number) => {
      const below = points.find((point) => side * point.x >= side * x) ?? { x, y: foot };
      return below.y + 0.01;
    };
    const [from, to] = side === 1 ? [0.62, 0.92] : [-0.92, -0.62];
    addFirs(firs, { dice, from, to, height: 0.11, density: 0.75, topAt });
  }
  const rock = palette.far(mix(palette.rock, palette.foliage, 0.35), air);
  const green = palette.far(palette.coverAmount === 1 ? palette.cover : palette.foliage, air);
  return (context: SKRSContext2D) => {
    context.fillStyle = linearGradient(context, [0, top, 0, foot], {
      0: mix(rock, green, 0.75),
      0.35: rock,
      1: mix(rock, palette.haze, 0.45),
    });
    context.fill(body);
    fill(context, css(mix(lighten(rock, -0.1), palette.skyTop, 0.2), 0.45), shade);
    fill(context, mix(green, palette.ink, 0.3), firs);
  };
}

function drawFlag(
  context: SKRSContext2D,
  moment: Moment,
  { x, y, beat, cloth }: { x: number; y: number; beat: number; cloth: string },
): void {
  const lift = 0.012 * moment.wave(1.4, beat);
  fill(context, cloth, () => {
    context.moveTo(x, y);
    context.quadraticCurveTo(x + 0.045, y - 0.02 + lift, x + 0.11, y + 0.018 - lift);
    context.quadraticCurveTo(x + 0.05, y + 0.03 + lift, x, y + 0.045);
  });
}
