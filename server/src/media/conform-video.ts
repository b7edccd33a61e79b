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
import { readVideoFacts } from './read-video-facts.ts';
import type { PlainVideo, VideoFacts } from './video-facts.ts';
import type { VideoTarget } from './video-target.ts';

export interface ConformedVideo {
  videoPath: string;
  thumbnailPath: string;
  spritesheetPath: string;
  /** What the conformed file says about itself. */
  properties: PlainVideo;
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

/** Reads the file's index, runs one ffmpeg for the video and both pictures, and reads the result's index. */
export async function conformVideo(
  parts: { box: Box },
  inputPath: string,
  target: VideoTarget,
  folder: string,
  signal?: AbortSignal,
): Promise<ConformedVideo> {
  const input = await readVideoFacts(inputPath);
  const videoPath = join(folder, 'conformed.mp4');
  const thumbnailPath = join(folder, 'thumbnail.jpg');
  const spritesheetPath = join(folder, 'spritesheet.jpg');
  // ffmpeg would refuse, and the refusal would be blamed on the engine.
  if (resolve(inputPath) === resolve(videoPath)) throw new Error('a video cannot be conformed into itself');
  const isCopy = fits(input.plain, target);
  const command: BoxCommand = {
    program: 'ffmpeg',
    arguments: [
      // Copied or not, every frame is decoded for the pictures. A second thread pays only if frames are encoded too.
      ...words(`-nostdin -y -xerror -threads ${isCopy ? 1 : 2}`),
      ...inputArguments(inputPath, input.container),
      ...words('-filter_complex_threads 1 -filter_complex'),
      isCopy ? copyFilters(target) : conformFilters(target),
      ...(isCopy ? words('-map 0:v:0 -c:v copy') : [...words('-map [video]'), ...h264Arguments('veryfast')]),
      ...audioArguments(input, target),
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

  const { plain: properties } = await readVideoFacts(videoPath);
  if (properties && properties.frameCount < target.frameCount) {
    throw new OutputInvalid(`the video is more than a second shorter than ${lengthSeconds(target)} s`);
  }
  if (!fits(properties, target) || !properties.isFastStart) {
    throw new OutputInvalid('the video could not be brought to its size and length', { cause: properties });
  }
  const { width, height } = input;
  return { videoPath, thumbnailPath, spritesheetPath, properties, rendered: { width, height } };
}

/** Returns whether the stream already meets the target, so that a copy of it can be delivered. */
function fits(video: PlainVideo | null, target: VideoTarget): video is PlainVideo {
  return (
    video !== null &&
    video.width === target.width &&
    video.height === target.height &&
    Math.abs(video.fps - target.fps) < 0.001 &&
    video.frameCount === target.frameCount
  );
}

/** Returns arguments for AAC that ends with the picture: copied if it already does, otherwise encoded. */
function audioArguments({ audio }: VideoFacts, target: VideoTarget): string[] {
  if (audio === null) return ['-an'];
  const endSeconds = lengthSeconds(target);
  if (audio !== 'unknown' && audio.isAac && audio.durationSeconds <= endSeconds + 0.1) {
    return words('-map 0:a:0 -c:a copy');
  }
  return words(`-map 0:a:0? -af atrim=end=${endSeconds} -c:a aac -b:a 128k -ac 2`);
}

function lengthSeconds({ frameCount, fps }: VideoTarget): number {
  return frameCount / fps;
}
