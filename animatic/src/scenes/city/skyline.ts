import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Dice } from '../../dice.ts';
import { createSketch, type Plot } from '../../drawing/building-sketch.ts';
import { type Colour, colour, css, mix } from '../../drawing/colour.ts';
import type { Draw } from '../../drawing/layer.ts';
import type { Moment } from '../../drawing/moment.ts';
import { addDisc, disc, fill, fillRect, linearGradient, type Point } from '../../drawing/paint.ts';
import { createScroll } from '../../drawing/scroll.ts';
import type { Setting } from '../../drawing/setting.ts';
import { addCrane, addModernBuilding } from './modern-buildings.ts';
import { createNeonSigns } from './neon-signs.ts';
import { addOldTownBuilding } from './old-town-buildings.ts';
import { createShops } from './shops.ts';
import type { CityCharacter, Row } from './skyline-row.ts';
import { createWindows } from './skyline-windows.ts';

export interface Skyline {
  draw: Draw;
  /** Draws the parts of it that show in water. */
  drawReflection: Draw;
}

const wallTones: Record<CityCharacter, readonly Colour[]> = {
  modern: [colour(0.5, 0.075, 258), colour(0.6, 0.07, 232), colour(0.64, 0.085, 42)],
  'old town': [colour(0.86, 0.06, 82), colour(0.77, 0.085, 55), colour(0.84, 0.04, 210)],
};
const roofTones: Record<CityCharacter, Colour> = { modern: colour(0.7, 0.03, 250), 'old town': colour(0.52, 0.12, 38) };

/** Creates a row of houses, with windows, blinking masts and smoking chimneys. */
export function createSkyline(setting: Setting, row: Row): Skyline {
  const { stage, palette, dice, sun } = setting;
  const { character, depth, foot, size } = row;
  const scroll = createScroll(setting, depth, Math.min(stage.width, 1.35));
  const sketches = wallTones[character].map(() => createSketch(sun.x < stage.width / 2 ? -1 : 1));
  const add = character === 'modern' ? addModernBuilding : addOldTownBuilding;
  let highest = foot;
  const plots = plotsOf(scroll.length, row, dice);
  // There is a construction site in at most one place.
  const building = row.hasCrane ? plots.find(({ width, top }) => foot - top < width * 2.4) : undefined;
  for (const plot of plots) {
    const sketch = sketches[Math.floor(dice.between(0, sketches.length))] ?? sketches[0];
    if (sketch) add(sketch, plot, dice);
    if (sketch && plot === building) addCrane(sketch, plot, dice);
    highest = Math.min(highest, plot.top);
  }
  const windows = createWindows(
    sketches.flatMap(({ facades }) => facades),
    row,
    setting,
  );
  const shops = row.hasShops ? createShops(plots, setting) : () => undefined;
  const hasNeon = row.windowPitch > 0.02 && setting.storyboard.features.includes('neon');
  const neon: Draw = hasNeon ? createNeonSigns(plots, setting) : () => undefined;
  const beacons = sketches.flatMap((sketch) => sketch.beacons).slice(0, 5);
  const flues = sketches.flatMap((sketch) => sketch.flues).slice(0, row.windowPitch > 0.02 ? 2 : 0);

  const isSnowy = palette.coverAmount === 1;
  const roof = isSnowy ? palette.cover : palette.lit(roofTones[character]);
  const shade = css(
    mix(palette.skyTop, palette.ink, 0.6),
    (0.12 + 0.26 * palette.sunStrength) * Math.min(1, 0.3 + depth),
  );
  // Near rows are darker than haze alone would make them, because contrast separates the rows.
  const air = depth ** 0.62;
  const tones = wallTones[character].map((tone) =>
    palette.far(mix(palette.lit(tone), palette.ink, (character === 'modern' ? 0.55 : 0.3) * depth), air),
  );
  const edgeAlpha = palette.sunStrength * (palette.isNight ? 0.1 : 0.38) * Math.min(1, 0.4 + depth);
  const street = css(mix(palette.far(mix(palette.land, palette.ink, 0.5), air), palette.haze, 0.35));
  const smoke = css(mix(palette.haze, palette.sun, 0.3), 0.2);
  const isFar = row.windowPitch === 0;
  const roofStyle = css(palette.far(roof, air));
  const lightStyle = css(mix(palette.sun, palette.glow, 0.5), edgeAlpha);
  const styles = tones.map((tone) => ({
    wall: css(tone),
    base: css(mix(tone, palette.haze, 0.5 * (1 - air) + 0.08)),
    line: css(mix(tone, palette.ink, 0.25)),
  }));
  const drawWalls: Draw = (context) => {
    for (const [index, sketch] of sketches.entries()) {
      const style = styles[index];
      if (!style) continue;
      context.fillStyle = style.wall;
      if (!isFar) {
        // The haze is thicker down in the streets.
        context.fillStyle = linearGradient(context, [0, highest, 0, foot], { 0: style.wall, 1: style.base });
      }
      context.fill(sketch.walls);
      fill(context, roofStyle, sketch.roofs);
      fill(context, shade, sketch.shade);
    }
  };
  const drawDetails: Draw = (context, moment) => {
    context.lineWidth = 0.0024 + 0.002 * depth;
    for (const [index, sketch] of sketches.entries()) {
      context.strokeStyle = styles[index]?.line ?? '';
      context.stroke(sketch.lines);
      context.fillStyle = lightStyle;
      if (edgeAlpha > 0.02 && !isFar) context.fill(sketch.edges);
    }
    shops(context);
    neon(context, moment);
    if (!isFar) fillRect(context, street, -0.01, foot, scroll.length + 0.02, stage.bottom - foot);
    drawBeacons(context, moment, beacons, palette.isDay ? 0.5 : 1, size);
    for (const [index, flue] of flues.entries()) drawSmoke(context, moment, flue, smoke, index);
  };
  const banded =
    (...parts: Draw[]): Draw =>
    (context, moment) =>
      scroll.draw(context, moment, () => {
        for (const part of parts) part(context, moment);
      });
  return { draw: banded(drawWalls, windows, drawDetails), drawReflection: banded(drawWalls, windows, neon) };
}

function plotsOf(length: number, { size, foot, heightAt, character }: Row, dice: Dice): Plot[] {
  const plots: Plot[] = [];
  let sinceTower = 2;
  for (let left = 0; left < length - size * 0.2; ) {
    const wanted = size * dice.between(0.6, 1.35);
    const width = left + wanted > length - size * 0.5 ? length - left : wanted;
    const tall = heightAt(left + width / 2) * dice.between(0.62, 1.08);
    sinceTower++;
    const isTower = character === 'old town' && sinceTower > 4 && dice.chance(0.3);
    if (isTower) sinceTower = 0;
    const height = character === 'modern' ? modernHeight(tall, dice) : oldTownHeight(tall, width, isTower);
    plots.push({ left, width: width * (dice.chance(0.25) ? 0.92 : 1.01), top: foot - height, foot: foot + 0.012 });
    left += width;
  }
  return plots;
}

/** Returns the height of a modern house; now and then it is low, which opens the view. */
function modernHeight(tall: number, dice: Dice): number {
  return dice.chance(0.16) ? tall * 0.5 : tall;
}

/** Returns the height of an old house. Houses stay broad, however much room there is; only towers rise above them. */
function oldTownHeight(tall: number, width: number, isTower: boolean): number {
  return isTower ? Math.min(4.2 * width, Math.max(2.8 * width, 1.95 * tall)) : Math.min(tall, 1.75 * width);
}

function drawBeacons(
  context: SKRSContext2D,
  moment: Moment,
  beacons: readonly Point[],
  strength: number,
  size: number,
): void {
  const red = colour(0.65, 0.23, 25);
  const radius = 0.0025 + 0.02 * size;
  for (const [index, { x, y }] of beacons.entries()) {
    const pulse = Math.max(0, Math.sin(2 * Math.PI * moment.turn(0.6, index * 0.37))) ** 2;
    for (const [reach, alpha] of [
      [3.2, 0.22 * pulse],
      [1, 0.35 + 0.65 * pulse],
    ] as const)
      fill(context, css(red, alpha * strength), disc(x, y, radius * reach));
  }
}

/** Draws smoke that rises, grows and thins out. */
function drawSmoke(context: SKRSContext2D, moment: Moment, { x, y }: Point, tone: string, index: number): void {
  const puffs = 7;
  fill(context, tone, () => {
    for (let puff = 0; puff < puffs; puff++) {
      const age = moment.turn(0.2, (puff + 0.31 * index) / puffs);
      const radius = 0.02 * Math.sin(Math.PI * Math.min(1, 0.06 + age)) ** 0.7;
      const puffX = x + 0.05 * age * age + 0.008 * Math.sin(6 * age + puff);
      addDisc(context, puffX, y - 0.14 * age, radius);
    }
  });
}
