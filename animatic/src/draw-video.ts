// The work of draw-child.ts: reads what to draw from stdin, writes raw RGBA frames to stdout.
import { readFileSync, writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createCanvas, type Image, loadImage } from '@napi-rs/canvas';
import { createFrameDrawer } from './draw-frame.ts';
import { decodeDrawInput, imageUndecodableExitCode, readerClosedExitCode } from './draw-input.ts';

const stdin = 0;
const stdout = 1;

const { spec, image } = decodeDrawInput(readFileSync(stdin));
const drawFrame = createFrameDrawer(spec, image && (await decode(image)));
const canvas = createCanvas(spec.width, spec.height);
const context = canvas.getContext('2d', { alpha: false });
for (let frameIndex = 0; frameIndex < spec.frameCount; frameIndex++) {
  drawFrame(context, frameIndex);
  writeFrame(canvas.data());
  // The memory of earlier frames is freed only when this loop yields to the event loop.
  await setImmediate();
}

async function decode(bytes: Buffer): Promise<Image> {
  try {
    return await loadImage(bytes);
  } catch {
    return process.exit(imageUndecodableExitCode);
  }
}

/** Writes a frame to stdout; blocks until the reader has taken it. */
function writeFrame(frame: Buffer): void {
  try {
    for (let written = 0; written < frame.length; ) written += writeSync(stdout, frame, written);
  } catch {
    process.exit(readerClosedExitCode);
  }
}
