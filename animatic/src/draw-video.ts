// The work of draw-child.ts: reads what to draw from stdin, writes raw RGBA frames to stdout.
import { readFileSync, writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createCanvas, type Image, loadImage } from '@napi-rs/canvas';
import { createFrameDrawer } from './draw-frame.ts';
import { decodeDrawInput, imageUndecodableExitCode, readerGoneExitCode } from './draw-input.ts';

const stdin = 0;
const stdout = 1;

const { spec, image } = decodeDrawInput(readFileSync(stdin));
const drawFrame = createFrameDrawer(spec, image && (await decode(image)));
const canvas = createCanvas(spec.width, spec.height);
const context = canvas.getContext('2d', { alpha: false });
for (let frameIndex = 0; frameIndex < spec.frameCount; frameIndex++) {
  drawFrame(context, frameIndex);
  writeFrame(canvas.data());
  // The bytes of earlier frames are given back by the event loop, never inside a loop that does not yield to it.
  await setImmediate();
}

async function decode(bytes: Buffer): Promise<Image> {
  try {
    return await loadImage(bytes);
  } catch {
    return process.exit(imageUndecodableExitCode);
  }
}

/** Blocks until the reader has taken the frame. */
function writeFrame(frame: Buffer): void {
  try {
    for (let written = 0; written < frame.length; ) written += writeSync(stdout, frame, written);
  } catch {
    process.exit(readerGoneExitCode);
  }
}
