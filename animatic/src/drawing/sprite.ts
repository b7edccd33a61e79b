import { createCanvas } from '@napi-rs/canvas';
import type { Paint } from './layer.ts';

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** How much finer than the frame a sprite is painted, so that its pixels do not show when the camera comes nearer. */
const finer = 1.15;

/** Paints a thing once, within a box in units; returns what draws it, for things that move but do not change. */
export function createSprite(pixelsPerUnit: number, { left, top, width, height }: Box, paint: Paint): Paint {
  const scale = pixelsPerUnit * finer;
  const canvas = createCanvas(Math.ceil(width * scale), Math.ceil(height * scale));
  const painter = canvas.getContext('2d');
  painter.scale(scale, scale);
  painter.translate(-left, -top);
  paint(painter);
  return (context) => {
    context.imageSmoothingEnabled = true;
    context.drawImage(canvas, left, top, canvas.width / scale, canvas.height / scale);
  };
}
