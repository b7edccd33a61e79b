import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { RenderJob } from './engine-process.ts';

const drawingProgram = join(import.meta.dirname, '../../animatic/src/draw-child.ts');

/** Runs the engine's own drawing program, which writes the raw frames of a job to a file. */
export async function drawFrames({ image, ...spec }: RenderJob, framesPath: string): Promise<void> {
  const file = openSync(framesPath, 'w');
  try {
    const child = spawn(process.execPath, [drawingProgram], { stdio: ['pipe', file, 'inherit'] });
    // The input has the same format as from the engine: one line of JSON, then the image's bytes.
    child.stdin?.end(Buffer.concat([Buffer.from(`${JSON.stringify(spec)}\n`), image ?? Buffer.alloc(0)]));
    await endOf(child, 'the drawing program');
  } finally {
    closeSync(file);
  }
  const wantedBytes = spec.width * spec.height * 4 * spec.frameCount;
  if (statSync(framesPath).size !== wantedBytes)
    throw new Error('the drawing program wrote the wrong number of frames');
}

/** Encodes the frames of a file as the engine did, with the same program and arguments; returns the seconds it took. */
export async function encodeFrames(command: readonly string[], framesPath: string, videoPath: string): Promise<number> {
  const [ffmpeg = '', ...args] = command;
  if (!args.includes('pipe:0')) throw new Error('no sample caught the encoder running: the job ended too soon');
  const file = openSync(framesPath, 'r');
  try {
    const startedAt = performance.now();
    // The output is the last argument. Descriptor 3 receives ffmpeg's progress, which is discarded here.
    const bare = [...args.slice(0, -1), `file:${videoPath}`];
    const child = spawn(ffmpeg, bare, { stdio: [file, 'ignore', 'inherit', 'ignore'] });
    await endOf(child, 'ffmpeg');
    return (performance.now() - startedAt) / 1000;
  } finally {
    closeSync(file);
  }
}

/** Returns the first frame of a file as a PNG that a job can start from. */
export async function firstFrameAsPng({ width, height }: RenderJob, framesPath: string): Promise<Buffer> {
  const words = `-v error -f rawvideo -pix_fmt rgba -s ${width}x${height} -i ${framesPath} -frames:v 1 -f image2pipe -c:v png -`;
  const child = spawn('ffmpeg', words.split(' '), { stdio: ['ignore', 'pipe', 'inherit'] });
  if (!child.stdout) throw new Error('ffmpeg has no stdout');
  const [png] = await Promise.all([buffer(child.stdout), endOf(child, 'ffmpeg')]);
  return png;
}

async function endOf(child: ReturnType<typeof spawn>, name: string): Promise<void> {
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${name} ended with status ${code}`);
}
