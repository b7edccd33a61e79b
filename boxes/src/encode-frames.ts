import type { Box, BoxChild } from './box.ts';
import type { BoxLimits } from './box-limits.ts';
import { fileUrl, h264Arguments, mp4Arguments, rawInputArguments, words } from './ffmpeg-arguments.ts';

export interface EncodeOptions {
  /** Writes RGBA frames, width·height·4 bytes each, to stdout; must have started in the same turn of the event loop. */
  frames: BoxChild;
  width: number;
  height: number;
  fps: number;
  outputPath: string;
  folder: string;
  /** Receives the number of frames encoded so far, several times per second and at the end. */
  onProgress?: ((frameCount: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

const limits: BoxLimits = {
  memoryBytes: 2 * 1024 ** 3,
  cpuSeconds: 600,
  fileSizeBytes: 1024 ** 3,
  timeoutMilliseconds: 30 * 60 * 1000, // the drawing sets the pace, and the caller limits its time
};

/**
 * Encodes the raw RGBA frames of another child as an H.264 MP4; the same frames give the same file. The server's
 * `conform` (server/src/media/conform-video.ts), which re-encodes videos of any other form, delivers it unchanged.
 * Resolves with the number of frames once the other child has closed its stdout; rejects if ffmpeg fails or the signal
 * is aborted.
 */
export async function encodeFrames(parts: { box: Box }, options: EncodeOptions): Promise<number> {
  const { frames, outputPath, folder, signal, onProgress } = options;
  let frameCount = 0;
  const { exitCode, stderrTail } = await parts.box.run({
    program: 'ffmpeg',
    arguments: [
      // ffmpeg reads two frames ahead while it encodes one, so frames that took longer to draw do not hold it up.
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
    onExtraOutput: readLines((line) => {
      const encoded = /^frame=(\d+)$/.exec(line)?.[1];
      if (encoded === undefined || Number(encoded) <= frameCount) return;
      frameCount = Number(encoded);
      onProgress?.(frameCount);
    }),
  });
  signal?.throwIfAborted();
  if (exitCode !== 0) throw new Error('ffmpeg failed to encode the frames', { cause: stderrTail });
  return frameCount;
}

/** Turns chunks into whole lines. */
function readLines(onLine: (line: string) => void): (chunk: Buffer) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  };
}
