import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { lighten, mix } from '../drawing/colour.ts';
import type { Layer } from '../drawing/layer.ts';
import { fraction } from '../drawing/moment.ts';
import { drawAt, fading, fillGlow, linearGradient } from '../drawing/paint.ts';
import type { Setting } from '../drawing/setting.ts';
import type { Weather } from './weather.ts';

/** Each bank's depth, middle as a fraction from the horizon to the bottom, height in units, and strength. */
const banks = [
  { depth: 0.12, middle: -0.4, height: 0.7, strength: 0.9 },
  { depth: 0.25, middle: -0.04, height: 0.3, strength: 1 },
  { depth: 0.42, middle: 0.15, height: 0.26, strength: 1 },
  { depth: 0.64, middle: 0.38, height: 0.28, strength: 0.95 },
  { depth: 0.9, middle: 0.66, height: 0.32, strength: 0.9 },
  { depth: 1.3, middle: 1.02, height: 0.4, strength: 0.8 },
] as const;

/** Banks of fog between the layers of the scene that keep flowing in one direction. */
export const fog: Weather = {
  light: { cover: 0.74, haze: 1, dim: 0.05 },
  create(setting) {
    const { dice, storyboard } = setting;
    if (storyboard.scene === 'space' || storyboard.scene === 'abstract') return [];
    const sheets = [paintBank(setting), paintBank(setting)];
    const wind = dice.sign() * dice.between(0.025, 0.045);
    return banks.map((bank, index) => createBank(setting, { ...bank, sheets, wind, offset: 0.37 * index }));
  },
};

interface Bank {
  depth: number;
  middle: number;
  height: number;
  strength: number;
  sheets: readonly Canvas[];
  /** In units per second, at depth 1. */
  wind: number;
  offset: number;
}

/** How far a sheet extends beyond the stage: the distance that it flows. */
const margin = 0.3;
/** The resolution of fog, relative to the frame: fog has no edges, so a lower one is enough. */
const resolution = 0.5;

/** Creates a bank of two sheets that flow in turn; each is invisible when it starts over. */
function createBank(
  { stage, seconds }: Setting,
  { depth, middle, height, strength, sheets, wind, offset }: Bank,
): Layer {
  const below = stage.height - stage.horizon;
  const tall = height * Math.max(1, below / 0.42);
  const top = stage.horizon + middle * below - tall / 2;
  const flow = Math.sign(wind) * Math.min(2 * margin, Math.abs(wind) * (0.5 + depth) * seconds);
  const width = stage.right - stage.left + 2 * margin;
  return {
    depth,
    draw(context, { phase }) {
      context.imageSmoothingEnabled = false;
      for (const [index, sheet] of sheets.entries()) {
        const along = fraction(phase + offset + index / sheets.length);
        const alpha = strength * Math.sin(Math.PI * along) ** 2;
        if (alpha < 0.01) continue;
        context.globalAlpha = alpha;
        context.drawImage(sheet, stage.left - margin + flow * (along - 0.5), top, width, tall);
      }
    },
  };
}

/** Paints soft lumps, dense in the middle and loose at the top. */
function paintBank({ stage, pixelsPerUnit, palette, dice }: Setting): Canvas {
  const width = stage.right - stage.left + 2 * margin;
  const height = 0.3;
  const scale = pixelsPerUnit * resolution;
  const canvas = createCanvas(Math.ceil(width * scale), Math.ceil(height * scale));
  const context = canvas.getContext('2d');
  context.scale(scale, scale);
  const tone = lighten(mix(palette.haze, palette.skyLow, 0.5), palette.isNight ? 0.05 : 0.03);
  context.fillStyle = linearGradient(context, [0, 0, 0, height], fading(tone, { 0: 0, 0.52: 0.66, 1: 0 }));
  context.fillRect(0, 0, width, height);
  for (let x = 0; x < width; x += dice.between(0.03, 0.09)) {
    const wide = dice.between(0.1, 0.36);
    const tall = wide * dice.between(0.2, 0.36);
    const y = height * (0.56 - 0.24 * dice.between(-0.5, 1) ** 2);
    drawAt(context, { x, y }, () => {
      context.scale(wide, Math.min(tall, y, height - y));
      const alpha = dice.between(0.2, 0.55);
      fillGlow(context, { x: 0, y: 0, radius: 1 }, fading(tone, { 0: alpha, 0.5: 0.5 * alpha, 1: 0 }));
    });
  }
  return canvas;
}
