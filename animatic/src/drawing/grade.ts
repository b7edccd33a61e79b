import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Dice } from '../dice.ts';
import { css, mix } from './colour.ts';
import { radialGradient } from './paint.ts';
import type { Palette } from './palette.ts';

const grainSide = 256;
/** The opacity of the strongest grain. */
const grainStrength = 0.06;

/** Adds the look of film to a finished frame: a vignette in the colour of the sky, and gentle grain. */
export function createGrade(
  { width, height }: { width: number; height: number },
  palette: Pick<Palette, 'skyTop'>,
  dice: Dice,
): (context: SKRSContext2D, frameIndex: number) => void {
  const vignette = drawVignette(width, height, css(mix({ lightness: 1, chroma: 0, hue: 0 }, palette.skyTop, 0.42)));
  const grain = drawGrain(dice);
  return (context, frameIndex) => {
    context.save();
    context.globalCompositeOperation = 'multiply';
    context.drawImage(vignette, 0, 0);
    context.globalCompositeOperation = 'source-over';
    // Each frame shifts the same grain; the step is large and odd, so that the eye sees no direction in it.
    const x = (frameIndex * 97) % grainSide;
    const y = (frameIndex * 61) % grainSide;
    context.translate(-x, -y);
    const pattern = context.createPattern(grain, 'repeat');
    if (pattern) context.fillStyle = pattern;
    context.fillRect(x, y, width, height);
    context.restore();
  };
}

function drawVignette(width: number, height: number, corner: string): Canvas {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const reach = Math.hypot(width, height) / 2;
  context.fillStyle = radialGradient(
    context,
    [width / 2, height * 0.48, reach * 0.45, width / 2, height / 2, reach * 1.05],
    { 0: '#ffffff', 1: corner },
  );
  context.fillRect(0, 0, width, height);
  return canvas;
}

function drawGrain(dice: Dice): Canvas {
  const canvas = createCanvas(grainSide, grainSide);
  const context = canvas.getContext('2d');
  const image = context.createImageData(grainSide, grainSide);
  for (let pixel = 0; pixel < image.data.length; pixel += 4) {
    // The sum of three random numbers is close to a bell curve: few strong grains, many weak ones.
    const grain = (dice.between(-1, 1) + dice.between(-1, 1) + dice.between(-1, 1)) / 3;
    const tone = grain > 0 ? 255 : 0;
    image.data.set([tone, tone, tone, 255 * grainStrength * Math.abs(grain)], pixel);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}
