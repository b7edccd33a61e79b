import { fileURLToPath } from 'node:url';
import type { Box, BoxResult } from '@kinora/boxes/box';
import type { BoxLimits } from '@kinora/boxes/box-limits';
import type { encodeFrames } from '@kinora/boxes/encode-frames';
import { encodeDrawInput, imageUndecodableExitCode, readerGoneExitCode } from './draw-input.ts';
import type { JobInput } from './job-input.ts';
import { RenderFailed } from './render-failed.ts';

export interface RenderOptions {
  /** The scratch folder of both children. */
  folder: string;
  outputPath: string;
  signal: AbortSignal;
  /** How many frames the encoder has taken. */
  onFrame: (frameCount: number) => void;
}

interface Parts {
  box: Box;
  encodeFrames: typeof encodeFrames;
  /** Where `compileDrawing` left the compiled sources; without it every child compiles them. */
  compiledFolder?: string | undefined;
}

const drawChild = fileURLToPath(new URL('draw-child.ts', import.meta.url));
const drawLimits: BoxLimits = {
  // The largest canvas, a frame or two of it on their way, and the layers that are painted once.
  memoryBytes: 512 * 1024 * 1024,
  cpuSeconds: 300,
  fileSizeBytes: 0,
  timeoutMilliseconds: 10 * 60_000,
};

const compileLimits: BoxLimits = { ...drawLimits, fileSizeBytes: 64 * 1024 * 1024 };
const oneFrame = { prompt: '', seed: 0, width: 16, height: 16, fps: 1, frameCount: 1 };

/** Draws one small frame in a child that may write, once for all that may not: it leaves the compiled sources in the folder. */
export async function compileDrawing(box: Box, compiledFolder: string): Promise<void> {
  const { exitCode, stderrTail } = await box.run({
    program: 'node',
    arguments: [drawChild, compiledFolder],
    limits: compileLimits,
    folder: compiledFolder,
    stdin: encodeDrawInput(oneFrame, null),
  });
  if (exitCode !== 0) throw new Error('the drawing could not be compiled', { cause: stderrTail });
}

/**
 * Draws one video in a boxed child and encodes it in another, side by side: the kernel hands the frames over, and whoever
 * is faster waits. Settles only once both are gone.
 */
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
    signal: options.signal,
  });
  const signal = AbortSignal.any([options.signal, uselessEncoding.signal]);
  const encoding = encodeFrames(
    { box },
    { frames: child, width, height, fps, outputPath, folder, signal, onProgress: onFrame },
  );
  child.stdin.end(encodeDrawInput(input, input.image));
  const drawing = child.result.then(insistOnDrawing);
  // An encoder that dies takes the drawing child along, by the pipe between them.
  drawing.catch((error: unknown) => uselessEncoding.abort(error));
  const [drawn, encoded] = await Promise.allSettled([drawing, encoding]);
  // Why the drawing failed comes first: what the encoder says then only follows from it.
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
  // Without its reader it did not fail by itself: the encoder tells why.
  if (result.exitCode !== 0 && result.exitCode !== readerGoneExitCode) throw drawingFailed(result);
}

function drawingFailed(result: BoxResult): RenderFailed {
  const cause = new Error(`the drawing child ended: ${JSON.stringify({ ...result, stdout: undefined })}`);
  if (result.exitCode === imageUndecodableExitCode) {
    return new RenderFailed('engine_crashed', 'the image could not be decoded', cause);
  }
  // Nothing else makes node abort: V8 and the canvas both do when an allocation is refused.
  if (result.signal === 'SIGABRT')
    return new RenderFailed('engine_out_of_memory', 'the drawing ran out of memory', cause);
  if (result.timedOut || result.signal === 'SIGXCPU') {
    return new RenderFailed('generation_stalled', 'the drawing took too long', cause);
  }
  return new RenderFailed('engine_crashed', 'the drawing ended before its last frame', cause);
}
