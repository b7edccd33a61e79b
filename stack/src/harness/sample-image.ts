import { deflateSync } from 'node:zlib';
import { pngChunk, pngEnd, pngHeader, pngSignature } from './png-chunks.ts';

const side = 320;

/** Returns a small PNG as a data URI, a different one for each number. */
export function sampleImage(number: number): string {
  return `data:image/png;base64,${imageBytes(number).toString('base64')}`;
}

/** Returns the same PNG as bytes. */
export function imageBytes(number: number): Buffer {
  const rows = Array.from({ length: side }, (_, y) => {
    const pixels = Array.from({ length: side }, (_, x) => [
      (x + number * 31) % 256,
      (y * 2) % 256,
      (x ^ y) % 256,
    ]).flat();
    return Buffer.from([0, ...pixels]);
  });
  // 8 bits per channel, colour type 2: RGB.
  const header = pngHeader(side, side, 8, 2);
  return Buffer.concat([pngSignature, header, pngChunk('IDAT', deflateSync(Buffer.concat(rows))), pngEnd]);
}
