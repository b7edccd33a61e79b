import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { newMediaPath } from './media-folder.ts';

const run = promisify(execFile);

/** Makes a picture without repetition, so that a shift, a crop or a stretch is visible. */
export async function picture(
  { width, height }: { width: number; height: number },
  extension: 'png' | 'jpg' | 'webp' | 'gif' | 'bmp',
): Promise<Buffer> {
  const path = newMediaPath(extension);
  const source = `mandelbrot=size=${width}x${height}:start_scale=2.5:maxiter=120,hue=h=40`;
  const quality = { png: [], gif: [], bmp: [], jpg: ['-q:v', '2'], webp: ['-quality', '95'] }[extension];
  await run('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', source, '-frames:v', '1', ...quality, '-update', '1', path]);
  return readFile(path);
}

/** Makes a picture of one colour: any number of pixels in very few bytes. */
export async function plainPicture(size: string): Promise<Buffer> {
  const path = newMediaPath('png');
  // Gray from the start: with chroma subsampling, an odd width or height would become even.
  const source = `color=gray:size=${size},format=gray`;
  await run('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', source, '-frames:v', '1', path]);
  return readFile(path);
}

/** Adds an EXIF orientation to a JPEG that tells readers to turn it by 90° clockwise. */
export function rotatedByExif(jpeg: Buffer): Buffer {
  // Big-endian TIFF header with one entry: orientation (0x0112), type short (3), 1 value: 6.
  const tiff = Buffer.from('4d4d002a00000008_0001_0112_0003_00000001_00060000_00000000'.replaceAll('_', ''), 'hex');
  const payload = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(payload.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, payload, jpeg.subarray(2)]);
}
