import { once } from 'node:events';
import type { Box, BoxLimits } from './box.ts';
import { fileUrl, h264Arguments, mp4Arguments, rawInputArguments, words } from './ffmpeg-arguments.ts';

export interface Encoder {
  /** Takes one RGBA frame, width·height·4 bytes, and resolves when the next one may come. */
  writeFrame(frame: Buffer): Promise<void>;
  /** Ends the file; rejects if ffmpeg did not write it whole. */
  finish(): Promise<void>;
  /** Gives up; the file is not usable. */
  kill(): void;
}

const limits: BoxLimits = {
  memoryBytes: 2 * 1024 ** 3,
  cpuSeconds: 600,
  fileSizeBytes: 1024 ** 3,
  timeoutMilliseconds: 30 * 60 * 1000, // frames come as fast as they are drawn, which the caller limits
};

/** Raw RGBA frames → H.264 MP4 that `conform` takes as it is; the same frames give the same file. */
export function encodeFrames(
  parts: { box: Box },
  options: {
    width: number;
    height: number;
    fps: number;
    outputPath: string;
    folder: string;
    signal?: AbortSignal | undefined;
  },
): Encoder {
  const { width, height, outputPath, folder, signal } = options;
  const frameBytes = width * height * 4;
  const child = parts.box.spawn({
    program: 'ffmpeg',
    arguments: [
      ...words('-nostdin -y'),
      ...rawInputArguments(options),
      ...words('-vf scale=out_color_matrix=bt709:out_range=tv,format=yuv420p -an'),
      ...h264Arguments('superfast'),
      ...mp4Arguments,
      fileUrl(outputPath),
    ],
    limits,
    folder,
    signal,
  });
  child.stdout.resume();
  const ended = child.result.then(
    ({ exitCode, stderrTail }) => (exitCode === 0 ? null : new Error('ffmpeg did not encode', { cause: stderrTail })),
    (cause: unknown) => new Error('ffmpeg could not be started', { cause }),
  );

  return {
    async writeFrame(frame) {
      if (frame.length !== frameBytes) throw new Error('a frame has the wrong number of bytes');
      signal?.throwIfAborted();
      if (child.stdin.write(frame)) return;
      // An encoder that dies never drains.
      const failure = await Promise.race([
        once(child.stdin, 'drain').then(
          () => 'drained' as const,
          () => ended,
        ),
        ended,
      ]);
      signal?.throwIfAborted();
      if (failure !== 'drained') throw failure ?? new Error('ffmpeg ended before the last frame');
    },

    async finish() {
      child.stdin.end();
      const failure = await ended;
      signal?.throwIfAborted();
      if (failure) throw failure;
    },

    kill: () => child.kill(),
  };
}
