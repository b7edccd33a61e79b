import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** All frames of a job have one colour, so that a video that belongs to another job is recognised. */
export const colours = ['red', 'lime', 'blue', 'yellow'] as const;
export type Colour = (typeof colours)[number];

const rgbOf: Record<Colour, readonly [number, number, number]> = {
  red: [255, 0, 0],
  lime: [0, 255, 0],
  blue: [0, 0, 255],
  yellow: [255, 255, 0],
};

export interface VideoShape {
  width: number;
  height: number;
  fps: number;
  frameCount: number;
}

/** Makes a small video of one colour. */
export async function makeVideo(folder: string, colour: Colour, shape: VideoShape): Promise<Buffer> {
  await mkdir(folder, { recursive: true });
  const { width, height, fps, frameCount } = shape;
  const path = join(folder, `${colour}-${width}x${height}-${fps}-${frameCount}.mp4`);
  const source = `color=c=${colour}:s=${width}x${height}:r=${fps}`;
  const encoding = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p -movflags +faststart'.split(' ');
  await run('ffmpeg', [...`-v error -y -f lavfi -i ${source} -frames:v ${frameCount}`.split(' '), ...encoding, path]);
  return readFile(path);
}

/** Decodes every frame of a video. Returns its size, its frame count, and its colour by name if it is one of ours. */
export async function inspectVideo(
  path: string,
): Promise<{ colour: string; width: number; height: number; frameCount: number }> {
  const entries = 'stream=width,height,nb_read_frames';
  const probe = await run('ffprobe', ['-v', 'error', '-count_frames', '-show_entries', entries, '-of', 'json', path]);
  // This is ffprobe's format; a missing number becomes NaN.
  const [stream = {}] = (JSON.parse(probe.stdout) as { streams: Record<string, unknown>[] }).streams;
  const onePixel = '-frames:v 1 -vf scale=1:1 -pix_fmt rgb24 -f rawvideo -'.split(' ');
  const { stdout: pixel } = await run('ffmpeg', ['-v', 'error', '-i', path, ...onePixel], { encoding: 'buffer' });
  const isNear = (colour: Colour): boolean =>
    rgbOf[colour].every((value, index) => Math.abs(value - (pixel[index] ?? 0)) < 40);
  return {
    colour: colours.find(isNear) ?? `rgb(${[...pixel].join(', ')})`,
    width: Number(stream['width']),
    height: Number(stream['height']),
    frameCount: Number(stream['nb_read_frames']),
  };
}
