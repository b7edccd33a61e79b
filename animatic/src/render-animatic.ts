import { fileURLToPath } from 'node:url';
import type { Box, BoxResult } from '@kinora/boxes/box';
import type { BoxLimits } from '@kinora/boxes/box-limits';
import type { encodeFrames } from '@kinora/boxes/encode-frames';
import { packagePaths } from '@kinora/boxes/package-paths';
import { encodeDrawInput, imageUndecodableExitCode, readerClosedExitCode } from './draw-input.ts';
import type { JobInput } from './job-input.ts';
import { RenderFailed } from './render-failed.ts';

export interface RenderOptions {
  /** The scratch folder of both children. */
  folder: string;
  outputPath: string;
  signal: AbortSignal;
  /** Receives the number of frames encoded so far. */
  onFrame: (frameCount: number) => void;
}

interface Parts {
  box: Box;
  encodeFrames: typeof encodeFrames;
  /** The folder with the compile cache that `compileDrawing` wrote; without it, every child compiles the sources. */
  compiledFolder?: string | undefined;
}

const drawChild = fileURLToPath(new URL('draw-child.ts', import.meta.url));
/** What the drawing child may read: its sources and the canvas. */
export const drawReadable: readonly string[] = packagePaths(drawChild, '@napi-rs/canvas');
const drawLimits: BoxLimits = {
  // Enough for the largest canvas, one or two frames of it in the pipe, and the layers that are painted once.
  memoryBytes: 512 * 1024 * 1024,
  cpuSeconds: 300,
  fileSizeBytes: 0,
  timeoutMilliseconds: 10 * 60_000,
};

const compileLimits: BoxLimits = { ...drawLimits, fileSizeBytes: 64 * 1024 * 1024 };
const oneFrame = { prompt: '', seed: 0, width: 16, height: 16, fps: 1, frameCount: 1 };

/** Fills the compile cache in a child that may write files, by drawing one small frame; later children only read it. */
export async function compileDrawing(box: Box, compiledFolder: string): Promise<void> {
  const { exitCode, stderrTail } = await box.run({
    program: 'node',
    arguments: [drawChild, compiledFolder],
    limits: compileLimits,
    folder: compiledFolder,
    readable: drawReadable,
    stdin: encodeDrawInput(oneFrame, null),
  });
  if (exitCode !== 0) throw new Error('the drawing could not be compiled', { cause: stderrTail });
}

/** Draws a video in one boxed child and encodes it in another, joined by a pipe. Settles once both have ended. */
export async function renderAnimatic(parts: Parts, input: JobInput, options: RenderOptions): Promise<void> {
  const { box, encodeFrames, compiledFolder } = parts;
  const { width, height, fps, frameCount } = input;
  const { folder, outputPath, onFrame } = options;
  const uselessEncoding = new AbortController();
  const child = box.spawn({
    program: 'node',
    arguments: compiledFolder === undefined ? [drawChild] : [drawChild, compiledFolder],
    limits: drawLimits,
    folder,
    readable: compiledFolder === undefined ? drawReadable : [...drawReadable, compiledFolder],
    signal: options.signal,
  });
  const signal = AbortSignal.any([options.signal, uselessEncoding.signal]);
  const encoding = encodeFrames(
    { box },
    { frames: child, width, height, fps, outputPath, folder, signal, onProgress: onFrame },
  );
  child.stdin.end(encodeDrawInput(input, input.image));
  const drawing = child.result.then(insistOnDrawing);
  // If the encoder dies, the closed pipe ends the drawing child.
  drawing.catch((error: unknown) => uselessEncoding.abort(error));
  const [drawn, encoded] = await Promise.allSettled([drawing, encoding]);
  // If the drawing failed, the encoder's error is only a consequence.
  if (drawn.status === 'rejected') throw asRenderFailed(drawn.reason);
  if (encoded.status === 'rejected') throw asRenderFailed(encoded.reason);
  if (encoded.value !== frameCount) throw asRenderFailed(new Error(`${encoded.value} of ${frameCount} frames`));
}

function asRenderFailed(error: unknown): RenderFailed {
  return error instanceof RenderFailed
    ? error
    : new RenderFailed('engine_crashed', 'the video could not be encoded', error);
}

function insistOnDrawing(result: BoxResult): void {
  // If its reader closed the pipe, the cause is the encoder's error.
  if (result.exitCode !== 0 && result.exitCode !== readerClosedExitCode) throw drawingFailed(result);
}

function drawingFailed(result: BoxResult): RenderFailed {
  const cause = new Error(`the drawing child ended: ${JSON.stringify({ ...result, stdout: undefined })}`);
  if (result.exitCode === imageUndecodableExitCode) {
    return new RenderFailed('engine_crashed', 'the image could not be decoded', cause);
  }
  // Only memory makes node abort: V8 and the canvas both do if an allocation fails.
  if (result.signal === 'SIGABRT')
    return new RenderFailed('engine_out_of_memory', 'the drawing ran out of memory', cause);
  if (result.timedOut || result.signal === 'SIGXCPU') {
    return new RenderFailed('generation_stalled', 'the drawing took too long', cause);
  }
  return new RenderFailed('engine_crashed', 'the drawing ended before its last frame', cause);
}
