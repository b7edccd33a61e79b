import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import type { Dice } from '../../dice.ts';
import { type Colour, colour, css, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import type { Moment } from '../../drawing/moment.ts';
import { addDisc, fill, fillRect } from '../../drawing/paint.ts';
import { createScroll } from '../../drawing/scroll.ts';
import type { Setting } from '../../drawing/setting.ts';
import { createWashing, drawWashing } from './washing.ts';

const depth = 1.4;

/** Creates the foreground: hedges if the subject travels, otherwise a roof terrace with plants, washing and a cat. */
export function createCityForeground(setting: Setting, ground: number): Layer {
  // The room below the street; a tall frame has much of it.
  const room = setting.stage.height - ground;
  return setting.travel === 0 ? createTerrace(setting, room) : createHedges(setting, room);
}

function createTerrace({ stage, palette, dice, sun, storyboard }: Setting, room: number): Layer {
  const ledge = stage.height - room * dice.between(0.36, 0.46);
  // The terrace is on the sun's side, because the subject is on the other.
  const side = sun.x > stage.width / 2 ? 1 : -1;
  const at = (along: number) => stage.width * (0.5 + side * (0.5 - along));
  const plants = new Path2D();
  const pots = new Path2D();
  // A group of large and small plants near the corner, and a single one on the opposite side.
  const wide = Math.min(1, 1.2 / stage.width);
  const hasWashing = dice.chance(0.5);
  for (const [along, size] of [
    [-0.03, 0.15],
    [0.045, 0.1],
    [0.115, 0.06],
    [dice.between(0.16, 0.22), 0.045],
    [1.02, 0.12],
  ] as const) {
    // The washing takes the place of the small plants.
    if (hasWashing && along > 0 && along < 0.5) continue;
    const x = at(along > 0.5 ? along : along * wide * 1.6);
    addPot(pots, x, ledge, size);
    if (dice.chance(0.5)) addFan(plants, dice, { x, y: ledge - size * 0.7, size: size * 1.3 });
    else addBush(plants, dice, { x, y: ledge - size, size: size * 0.8 });
  }
  const washing = hasWashing
    ? createWashing(dice, { from: at(-0.12), to: at(stage.width > 1 ? 0.34 : 0.48), y: ledge - 0.16 })
    : null;
  const cloths = [
    palette.accent,
    palette.lit(colour(0.93, 0.02, 90)),
    palette.lit(colour(0.66, 0.09, 220)),
    palette.lit(colour(0.8, 0.1, 70)),
  ];
  const catX = at(dice.between(0.5, 0.64));
  const wall = mix(palette.ink, palette.skyTop, 0.08);
  return {
    depth,
    draw(context, moment) {
      fill(context, mix(palette.ink, palette.foliage, 0.22), plants);
      fill(context, mix(palette.ink, palette.lit(colour(0.5, 0.12, 40)), 0.3), pots);
      if (washing) drawWashing(context, moment, washing, cloths, palette.ink);
      fillRect(context, wall, stage.left, ledge, stage.right - stage.left, stage.bottom + 0.4 - ledge);
      fillRect(context, mix(wall, palette.skyLow, 0.2), stage.left, ledge, stage.right - stage.left, 0.007);
      // A second, much smaller cat beside the subject would look like a mistake.
      if (storyboard.subject !== 'cat') drawCat(context, moment, { x: catX, y: ledge, side, tone: palette.ink });
    },
  };
}

function createHedges(setting: Setting, room: number): Layer {
  const { stage, palette, dice } = setting;
  const scroll = createScroll(setting, depth, stage.width);
  const hedge = new Path2D();
  const top = stage.height - Math.max(0.035, 0.62 * room - 0.07);
  for (let x = 0; x < scroll.length; x += dice.between(0.05, 0.09)) {
    if (dice.chance(0.12)) x += dice.between(0.15, 0.5);
    const radius = dice.between(0.04, 0.075);
    addDisc(hedge, x, top + 0.03, radius);
  }
  return {
    depth,
    draw(context, moment) {
      context.fillStyle = css(mix(palette.ink, palette.foliage, 0.25));
      context.fillRect(stage.left, top + 0.03, stage.right - stage.left, stage.bottom + 0.4 - top);
      scroll.draw(context, moment, () => context.fill(hedge));
    },
  };
}

function addPot(path: Path2D, x: number, foot: number, size: number): void {
  path.moveTo(x - size * 0.26, foot);
  path.lineTo(x - size * 0.36, foot - size * 0.62);
  path.lineTo(x - size * 0.42, foot - size * 0.62);
  path.lineTo(x - size * 0.42, foot - size * 0.8);
  path.lineTo(x + size * 0.42, foot - size * 0.8);
  path.lineTo(x + size * 0.42, foot - size * 0.62);
  path.lineTo(x + size * 0.36, foot - size * 0.62);
  path.lineTo(x + size * 0.26, foot);
  path.closePath();
}

interface Plant {
  x: number;
  y: number;
  size: number;
}

/** Adds a plant with long leaves from one root. */
function addFan(path: Path2D, dice: Dice, { x, y, size }: Plant): void {
  const leaves = 7;
  for (let leaf = 0; leaf < leaves; leaf++) {
    const angle = -Math.PI / 2 + (leaf / (leaves - 1) - 0.5) * 2.3 + dice.between(-0.1, 0.1);
    const length = size * dice.between(0.75, 1.1);
    const tipX = x + Math.cos(angle) * length;
    const tipY = y + Math.sin(angle) * length + Math.abs(Math.cos(angle)) * size * 0.3;
    path.moveTo(x, y);
    path.quadraticCurveTo(
      x + Math.cos(angle - 0.22) * length * 0.6,
      y + Math.sin(angle - 0.22) * length * 0.62,
      tipX,
      tipY,
    );
    path.quadraticCurveTo(x + Math.cos(angle + 0.22) * length * 0.6, y + Math.sin(angle + 0.22) * length * 0.62, x, y);
  }
}

function addBush(path: Path2D, dice: Dice, { x, y, size }: Plant): void {
  for (const [dx, dy, share] of [
    [-0.4, 0, 0.45],
    [0.4, -0.02, 0.46],
    [0, -0.45, 0.55],
    [0.1, 0.05, 0.5],
  ] as const) {
    const radius = size * share * dice.between(0.9, 1.1);
    addDisc(path, x + dx * size, y + dy * size, radius);
  }
}

/** Draws a cat that looks at the city and moves the end of its tail. */
function drawCat(
  context: SKRSContext2D,
  moment: Moment,
  { x, y, side, tone }: { x: number; y: number; side: number; tone: Colour },
): void {
  context.translate(x, y);
  context.scale(-side * 0.075, 0.075);
  context.fillStyle = css(tone);
  context.strokeStyle = css(tone);
  context.beginPath();
  context.moveTo(-0.3, 0.02);
  context.bezierCurveTo(-0.42, -0.5, -0.1, -0.62, 0, -0.72);
  context.bezierCurveTo(0.3, -0.5, 0.26, -0.2, 0.24, 0.02);
  context.closePath();
  context.ellipse(0.1, -0.8, 0.19, 0.17, 0, 0, 2 * Math.PI);
  context.moveTo(-0.07, -0.86);
  context.lineTo(-0.06, -1.08);
  context.lineTo(0.09, -0.95);
  context.moveTo(0.27, -0.86);
  context.lineTo(0.27, -1.08);
  context.lineTo(0.11, -0.95);
  context.fill();
  const swing = moment.wave(0.5);
  context.lineWidth = 0.085;
  context.lineCap = 'round';
  context.beginPath();
  context.moveTo(-0.24, -0.04);
  context.bezierCurveTo(-0.6, 0.02, -0.52, 0.3, -0.66 - 0.06 * swing, 0.34);
  context.quadraticCurveTo(-0.78 - 0.1 * swing, 0.36, -0.84 - 0.12 * swing, 0.22 - 0.06 * swing);
  context.stroke();
}
