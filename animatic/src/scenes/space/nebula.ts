import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Dice } from '../../dice.ts';
import { type Colour, css } from '../../drawing/colour.ts';
import { ease } from '../../drawing/ease.ts';
import { fillRect, type Point } from '../../drawing/paint.ts';
import type { Stage } from '../../drawing/stage.ts';

interface Nebula {
  stage: Stage;
  dice: Dice;
  /** The colour where there is no cloud. */
  deep: Colour;
  /** The colours from the edge of the cloud to its centre. */
  tones: readonly [Colour, Colour, Colour];
  /** Where its brightest part is. */
  heart: Point;
}

/** The size of the finest detail of a cloud, in units. */
const texel = 0.008;
const latticeSide = 64;

/** Paints a nebula over the whole stage: long slanted wisps with darker lanes of dust between them. */
export function paintNebula(context: SKRSContext2D, { stage, dice, deep, tones, heart }: Nebula): void {
  const width = Math.ceil((stage.right - stage.left) / texel);
  const height = Math.ceil((stage.bottom - stage.top) / texel);
  const canvas = createCanvas(width, height);
  const painter = canvas.getContext('2d');
  const image = painter.createImageData(width, height);
  const cloudAt = createCloud(dice);
  const slant = dice.sign() * dice.between(0.25, 0.75);
  const reach = dice.between(0.34, 0.46);
  const ramp = createRamp([deep, ...tones]);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const x = stage.left + column * texel;
      const y = stage.top + row * texel;
      const along = (x - heart.x) * Math.cos(slant) + (y - heart.y) * Math.sin(slant);
      const across = (y - heart.y) * Math.cos(slant) - (x - heart.x) * Math.sin(slant);
      const warpX = cloudAt(along * 1.1 + 5, across * 1.6, 3);
      const warpY = cloudAt(along * 1.1 + 19, across * 1.6 + 7, 3);
      const wisps = cloudAt(along * 1.5 + 1.5 * warpX, across * 2.6 + 1.5 * warpY, 5);
      const band = Math.exp(-((across + 0.25 * (warpX - 0.5)) ** 2) / (reach * reach) - (along * along) / 1.6);
      const dust = Math.max(0, cloudAt(along * 2.1 + 40 + warpY, across * 4 + 11, 4) - 0.5) * 1.6;
      const density = Math.max(0, band * (1.9 * wisps - 0.32) * (1 - dust));
      image.data.set(ramp(Math.min(1, density)), 4 * (row * width + column));
    }
  }
  painter.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = true;
  context.drawImage(canvas, stage.left, stage.top, width * texel, height * texel);
}

/** Creates the density of a cloud over a plane, 0..1, as a sum of ever finer random fields. */
function createCloud(dice: Dice): (x: number, y: number, octaves: number) => number {
  const lattice = Float32Array.from({ length: latticeSide * latticeSide }, () => dice.between(0, 1));
  const at = (x: number, y: number) => lattice[(y & (latticeSide - 1)) * latticeSide + (x & (latticeSide - 1))] ?? 0;
  const field = (x: number, y: number) => {
    const left = Math.floor(x);
    const top = Math.floor(y);
    const right = ease(x - left);
    const down = ease(y - top);
    const above = at(left, top) + (at(left + 1, top) - at(left, top)) * right;
    const below = at(left, top + 1) + (at(left + 1, top + 1) - at(left, top + 1)) * right;
    return above + (below - above) * down;
  };
  return (x, y, octaves) => {
    let sum = 0;
    let share = 0.5;
    let scale = 2;
    for (let octave = 0; octave < octaves; octave++) {
      sum += share * field(x * scale, y * scale);
      share /= 2;
      scale *= 2.03;
    }
    return sum / (1 - 2 * share);
  };
}

function createRamp(tones: readonly Colour[]): (place: number) => Uint8ClampedArray {
  const canvas = createCanvas(256, 1);
  const context = canvas.getContext('2d');
  const gradient = context.createLinearGradient(0, 0, 256, 0);
  for (const [index, tone] of tones.entries()) gradient.addColorStop(index / (tones.length - 1), css(tone));
  fillRect(context, gradient, 0, 0, 256, 1);
  const { data } = context.getImageData(0, 0, 256, 1);
  return (place) => {
    const step = 4 * Math.round(255 * place);
    return data.subarray(step, step + 4);
  };
}
