import { fileURLToPath } from 'node:url';
import type { Box, BoxResult } from '../../media/box.ts';
import type { encodeFrames } from '../../media/encode.ts';
import { encodeDrawInput, imageUndecodableExitCode } from './draw-input.ts';
import type { JobInput } from './job-input.ts';
import { readFrames } from './read-frames.ts';
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
}

const drawChild = fileURLToPath(new URL('draw-child.ts', import.meta.url));
const drawLimits = {
  // Two frames of the largest canvas and a decoded image; the rest is room for garbage not yet collected.
  memoryBytes: 512 * 1024 * 1024,
  cpuSeconds: 300,
  fileSizeBytes: 0,
  timeoutMilliseconds: 10 * 60_000,
};

/** Draws one video in a boxed child and encodes it in another. Settles only once both are gone. */
export async function renderAnimatic(parts: Parts, input: JobInput, options: RenderOptions): Promise<void> {
  const { box, encodeFrames } = parts;
  const { width, height, fps, frameCount } = input;
  const { folder, outputPath, signal, onFrame } = options;
  const child = box.spawn({ program: 'node', arguments: [drawChild], limits: drawLimits, folder, signal });
  const encoder = encodeFrames({ box }, { width, height, fps, outputPath, folder, signal });
  try {
    child.stdin.end(encodeDrawInput(input, input.image));
    let encoded = 0;
    let encoding = Promise.resolve();
    for await (const frame of readFrames(child.stdout, width * height * 4)) {
      await encoding;
      // The next frame is read while the encoder takes this one.
      encoding = encoder.writeFrame(frame).then(() => onFrame(++encoded));
      encoding.catch(() => undefined); // looked at with the next frame
    }
    await encoding;
    const result = await child.result;
    if (result.exitCode !== 0 || encoded !== frameCount) throw drawingFailed(result);
    await encoder.finish();
  } catch (error) {
    child.kill();
    encoder.kill();
    child.stdout.destroy(); // a child is not gone before its pipes are
    await Promise.allSettled([child.result, encoder.finish()]);
    throw error instanceof RenderFailed
      ? error
      : new RenderFailed('engine_crashed', 'the video could not be encoded', error);
  }
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
