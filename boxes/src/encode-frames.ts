import type { Box, BoxChild } from './box.ts';
import type { BoxLimits } from './box-limits.ts';
import { fileUrl, h264Arguments, mp4Arguments, rawInputArguments, words } from './ffmpeg-arguments.ts';

export interface EncodeOptions {
  /** Writes RGBA frames, width·height·4 bytes each, to its stdout; started in the same turn of the event loop. */
  frames: BoxChild;
  width: number;
  height: number;
  fps: number;
  outputPath: string;
  folder: string;
  /** How many frames the encoder has taken, several times a second and at the end. */
  onProgress?: ((frameCount: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

const limits: BoxLimits = {
  memoryBytes: 2 * 1024 ** 3,
  cpuSeconds: 600,
  fileSizeBytes: 1024 ** 3,
  timeoutMilliseconds: 30 * 60 * 1000, // frames come as fast as they are drawn, which the caller limits
};

/**
 * Raw RGBA frames of another child → H.264 MP4 that `conform` takes as it is; the same frames give the same file. Resolves
 * with the number of frames in it once the child that wrote them has closed its stdout; rejects if there is no whole file.
 */
export async function encodeFrames(parts: { box: Box }, options: EncodeOptions): Promise<number> {
  const { frames, outputPath, folder, signal, onProgress } = options;
  let frameCount = 0;
  const { exitCode, stderrTail } = await parts.box.run({
    program: 'ffmpeg',
    arguments: [
      // Two frames are read ahead while one is encoded: frames that took longer to draw do not hold the encoder up.
      ...words('-nostdin -y -nostats -progress pipe:3 -stats_period 0.1 -thread_queue_size 2'),
      ...rawInputArguments(options),
      ...words('-vf scale=out_color_matrix=bt709:out_range=tv,format=yuv420p -an'),
      ...h264Arguments('superfast'),
      ...mp4Arguments,
      fileUrl(outputPath),
    ],
    limits,
    folder,
    signal,
    stdinFrom: frames,
    extraPipe: readLines((line) => {
      const taken = /^frame=(\d+)$/.exec(line)?.[1];
      if (taken === undefined || Number(taken) <= frameCount) return;
      frameCount = Number(taken);
      onProgress?.(frameCount);
    }),
  });
  signal?.throwIfAborted();
  if (exitCode !== 0) throw new Error('ffmpeg did not encode', { cause: stderrTail });
  return frameCount;
}

/** Cuts what comes in pieces into whole lines. */
function readLines(onLine: (line: string) => void): (chunk: Buffer) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  };
}
