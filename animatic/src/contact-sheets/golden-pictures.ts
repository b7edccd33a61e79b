import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { createFrameDrawer } from '../draw-frame.ts';
import type { FrameSpec } from '../frame-spec.ts';
import { scenes } from '../scenes/scenes.ts';

export const goldenSize = { width: 192, height: 108 };
export const goldenScenes = Object.keys(scenes);
const folder = join(import.meta.dirname, '..', 'scenes', 'goldens');

/** Returns the path of a scene's golden picture. */
export function goldenPath(scene: string): string {
  return join(folder, `${scene}.png`);
}

/** Draws one frame of a scene from a short prompt without a subject; tests pass changes to it. */
export function drawGolden(scene: string, changes: Partial<FrameSpec> = {}): Canvas {
  const prompt = `${scene} at dusk in summer, clear sky`;
  const spec: FrameSpec = { prompt, seed: 7, ...goldenSize, fps: 24, frameCount: 24, ...changes };
  const canvas = createCanvas(spec.width, spec.height);
  createFrameDrawer(spec, null)(canvas.getContext('2d', { alpha: false }), 6);
  return canvas;
}

/** Writes the present look of every scene as its golden picture; git shows which of them changed. */
export function writeGoldens(): void {
  mkdirSync(folder, { recursive: true });
  for (const scene of goldenScenes) writeFileSync(goldenPath(scene), drawGolden(scene).toBuffer('image/png'));
}
