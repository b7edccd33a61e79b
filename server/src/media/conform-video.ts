import { join, resolve } from 'node:path';
import type { Box, BoxCommand } from '@kinora/boxes/box';
import type { BoxLimits } from '@kinora/boxes/box-limits';
import {
  cleanArguments,
  fileUrl,
  h264Arguments,
  inputArguments,
  mp4Arguments,
  words,
} from '@kinora/boxes/ffmpeg-arguments';
import { OutputInvalid } from '../errors.ts';
import { conformFilters, copyFilters } from './conform-filters.ts';
import { requireSuccess } from './output-invalid.ts';
import { type ProbedVideo, probeVideo, type VideoProbe } from './probe-video.ts';
import type { VideoTarget } from './video-target.ts';

export interface ConformedVideo {
  videoPath: string;
  thumbnailPath: string;
  spritesheetPath: string;
  /** The probe of the conformed file. */
  probe: VideoProbe;
  /** The size that the engine rendered. */
  rendered: { width: number; height: number };
}

const limits: BoxLimits = {
  memoryBytes: 2 * 1024 ** 3,
  cpuSeconds: 900,
  fileSizeBytes: 2 * 1024 ** 3,
  timeoutMilliseconds: 8 * 60 * 1000, // finishing has ten minutes per try for everything
};

const pictureArguments = [...cleanArguments, ...words('-frames:v 1 -c:v mjpeg -q:v 4 -f mjpeg')];

/** If an engine delivered too few frames, the last frame is held for at most this long. */
const maxMissingSeconds = 1;

/** Probes the file, runs one ffmpeg for the video and both pictures, and probes the result; see `Video.conform`. */
export async function conformVideo(
  parts: { box: Box },
  inputPath: string,
  target: VideoTarget,
  folder: string,
  signal?: AbortSignal,
): Promise<ConformedVideo> {
  const input = await probeVideo(parts, inputPath, folder, signal);
  const targetSeconds = target.frameCount / target.fps;
  if (input.probe.durationSeconds < targetSeconds - maxMissingSeconds) {
    throw new OutputInvalid(`the video lasts ${input.probe.durationSeconds} s instead of ${targetSeconds} s`);
  }

  const videoPath = join(folder, 'conformed.mp4');
  const thumbnailPath = join(folder, 'thumbnail.jpg');
  const spritesheetPath = join(folder, 'spritesheet.jpg');
  // ffmpeg would refuse, and the refusal would be blamed on the engine.
  if (resolve(inputPath) === resolve(videoPath)) throw new Error('a video cannot be conformed into itself');
  const isCopy = fits(input, target);
  const command: BoxCommand = {
    program: 'ffmpeg',
    arguments: [
      // Stop at the first frame that cannot be decoded; copied or not, every frame is decoded for the pictures.
      ...words('-nostdin -y -xerror -threads 2'),
      ...inputArguments(inputPath, input.container),
      ...words('-filter_complex_threads 1 -filter_complex'),
      isCopy ? copyFilters(target) : conformFilters(target),
      ...(isCopy ? words('-map 0:v:0 -c:v copy') : [...words('-map [video]'), ...h264Arguments('veryfast')]),
      ...audioArguments(input, targetSeconds),
      ...mp4Arguments,
      fileUrl(videoPath),
      ...words('-map [thumbnail]'),
      ...pictureArguments,
      fileUrl(thumbnailPath),
      ...words('-map [spritesheet]'),
      ...pictureArguments,
      fileUrl(spritesheetPath),
    ],
    limits,
    folder,
    readable: [inputPath],
    signal,
  };
  await requireSuccess(await parts.box.run(command), command);

  const output = await probeVideo(parts, videoPath, folder, signal);
  if (!fits(output, target) || !output.probe.isFastStart) {
    throw new OutputInvalid('the video could not be brought to its size and length', { cause: output.probe });
  }
  const { width, height } = input.probe;
  return { videoPath, thumbnailPath, spritesheetPath, probe: output.probe, rendered: { width, height } };
}

/** Returns whether the stream already meets the target, so that a copy of it can be delivered. */
function fits({ probe, container, isPlain }: ProbedVideo, target: VideoTarget): boolean {
  const { codec, pixelFormat }: VideoProbe = probe;
  return (
    container === 'mov' &&
    isPlain &&
    codec === 'h264' &&
    pixelFormat === 'yuv420p' &&
    probe.width === target.width &&
    probe.height === target.height &&
    Math.abs(probe.fps - target.fps) < 0.001 &&
    probe.frameCount === target.frameCount
  );
}

/** Returns arguments for AAC that ends with the picture: copied if it already does, otherwise encoded. */
function audioArguments({ audio }: ProbedVideo, targetSeconds: number): string[] {
  if (!audio) return ['-an'];
  const endsInTime = audio.durationSeconds <= targetSeconds + 0.1;
  if (audio.codec === 'aac' && endsInTime) return words('-map 0:a:0 -c:a copy');
  return words(`-map 0:a:0 -af atrim=end=${targetSeconds} -c:a aac -b:a 128k -ac 2`);
}
