import { Path2D } from '@napi-rs/canvas';
import type { Dice } from '../../dice.ts';
import { css, lighten, mix } from '../../drawing/colour.ts';
import type { Paint } from '../../drawing/layer.ts';
import { createNoise } from '../../drawing/noise.ts';
import { fill, fillRect, linearGradient, type Point, stroke, within } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';
import type { SpaceColours } from './planet.ts';

/** Creates the face of an ocean planet: continents, swirls of cloud over them, and the lights of cities at night. */
export function createOceanFace(
  { dice, palette }: Setting,
  { planet }: SpaceColours,
  light: Point,
): { drawFace: Paint; drawNight: Paint } {
  const lands = Array.from({ length: 9 }, (_, index) => {
    const angle = index * 2.4 + dice.between(-0.4, 0.4);
    const away = 0.85 * Math.sqrt((index + 0.5) / 9);
    return { x: away * Math.cos(angle), y: away * Math.sin(angle), size: dice.between(0.2, 0.36) };
  });
  const land = createLand(dice, lands);
  const cities = createCities(dice, lands, light);
  const clouds = createSwirls(dice, 9);
  const water = [css(lighten(planet[1], 0.06)), css(planet[0])] as const;
  const landTone = css(mix(planet[2], planet[3], 0.25));
  const shallows = css(mix(planet[1], planet[3], 0.35), 0.5);
  const cloudTone = css(lighten(mix(planet[3], palette.sun, 0.7), 0.05), 0.78);
  const lamp = css(palette.lamp, 0.9);
  return {
    drawFace(context) {
      fillRect(context, linearGradient(context, [0, -1, 0, 1], { 0: water[0], 1: water[1] }), -1, -1, 2, 2);
      stroke(context, shallows, 0.05, land);
      fill(context, landTone, land);
      fill(context, cloudTone, clouds);
    },
    drawNight(context) {
      within(context, land, () => fill(context, lamp, cities));
    },
  };
}

interface Land {
  x: number;
  y: number;
  size: number;
}

function createLand(dice: Dice, lands: readonly Land[]): Path2D {
  const path = new Path2D();
  for (const { x, y, size } of lands) addBlob(path, dice, { x, y, size: size * Math.sqrt(1.15 - x * x - y * y * 0.5) });
  return path;
}

function createCities(dice: Dice, lands: readonly Land[], light: Point): Path2D {
  const cities = new Path2D();
  for (let city = 0; city < 900; city++) {
    const near = lands[Math.floor(dice.between(0, lands.length))];
    const angle = dice.between(0, 2 * Math.PI);
    const away = (near?.size ?? 0.2) * dice.between(0, 0.95) ** 0.7;
    const x = (near?.x ?? 0) + away * Math.cos(angle);
    const y = (near?.y ?? 0) + away * Math.sin(angle);
    // City lights are on where the sun has set.
    if (x * x + y * y > 0.9 || Math.hypot(x - 0.78 * light.x, y - 0.78 * light.y) < 1.1) continue;
    const radius = 0.0025 + 0.0055 * dice.between(0, 1) ** 3;
    cities.rect(x - radius, y - radius, 2 * radius, 2 * radius);
  }
  return cities;
}

function addBlob(path: Path2D, dice: Dice, { x, y, size }: Land): void {
  const outline = createNoise(dice, { period: 1, octaves: 5 });
  const steps = 90;
  for (let step = 0; step < steps; step++) {
    const angle = (2 * Math.PI * step) / steps;
    const reach = size * (1 + 0.95 * outline(step / steps));
    const at = [x + reach * Math.cos(angle), y + reach * 0.85 * Math.sin(angle)] as const;
    if (step === 0) path.moveTo(...at);
    else path.lineTo(...at);
  }
  path.closePath();
}

/** Creates groups of streaks along the winds, pointed at both ends, and spirals where the winds meet. */
function createSwirls(dice: Dice, count: number): Path2D {
  const path = new Path2D();
  for (let group = 0; group < count; group++) {
    const x = dice.between(-0.9, 0.5);
    const y = dice.between(-0.85, 0.85);
    if (dice.chance(0.25)) addSpiral(path, { x: x + 0.2, y, size: dice.between(0.1, 0.17), side: dice.sign() });
    for (let streak = 0; streak < 4; streak++) {
      const length = dice.between(0.2, 0.55);
      const fromX = x + dice.between(-0.12, 0.2);
      const fromY = y + streak * 0.045;
      const bow = 0.14 * y + dice.between(-0.02, 0.02);
      const thickness = dice.between(0.02, 0.055);
      path.moveTo(fromX, fromY);
      path.quadraticCurveTo(fromX + length * 0.4, fromY + bow - thickness, fromX + length, fromY + bow * 0.3);
      path.quadraticCurveTo(fromX + length * 0.6, fromY + bow + thickness, fromX, fromY);
    }
  }
  return path;
}

/** Adds a spiral: two arms around an eye, which grow thinner outwards. */
function addSpiral(path: Path2D, { x, y, size, side }: { x: number; y: number; size: number; side: number }): void {
  for (const start of [0, Math.PI]) {
    const arm = (along: number, width: number) => {
      const angle = start + side * along * 3.4;
      const reach = size * (0.16 + 0.84 * along + width * Math.sin(Math.PI * along ** 0.7));
      return [x + reach * Math.cos(angle), y + 0.72 * reach * Math.sin(angle)] as const;
    };
    path.moveTo(...arm(0, 0));
    for (let step = 1; step <= 14; step++) path.lineTo(...arm(step / 14, 0.34));
    for (let step = 14; step >= 0; step--) path.lineTo(...arm(step / 14, 0));
    path.closePath();
  }
}
