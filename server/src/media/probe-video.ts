import type { Box, BoxCommand } from '@kinora/boxes/box';
import type { BoxLimits } from '@kinora/boxes/box-limits';
import { inputArguments, type VideoContainer, words } from '@kinora/boxes/ffmpeg-arguments';
import { OutputInvalid } from '../errors.ts';
import { requireSuccess } from './output-invalid.ts';
import { sniffContainer } from './sniff-container.ts';

export interface VideoProbe {
  width: number;
  height: number;
  fps: number;
  frameCount: number;
  durationSeconds: number;
  codec: string;
  pixelFormat: string;
  hasAudio: boolean;
  /** Whether the MP4 index precedes the media data, so that playback can start before the download ends. */
  isFastStart: boolean;
}

export interface ProbedVideo {
  probe: VideoProbe;
  container: VideoContainer;
  /**
   * True if the file has no rotation, interlacing, non-square pixels, start offset, variable frame rate or extra
   * streams.
   */
  isPlain: boolean;
  audio: { codec: string; durationSeconds: number } | null;
}

interface ProbedStream {
  codec_type?: unknown;
  codec_name?: unknown;
  pix_fmt?: unknown;
  width?: unknown;
  height?: unknown;
  avg_frame_rate?: unknown;
  r_frame_rate?: unknown;
  nb_read_packets?: unknown;
  start_pts?: unknown;
  duration?: unknown;
  sample_aspect_ratio?: unknown;
  field_order?: unknown;
  side_data_list?: unknown;
}

const limits: BoxLimits = {
  memoryBytes: 2 * 1024 ** 3,
  cpuSeconds: 60,
  fileSizeBytes: 0,
  timeoutMilliseconds: 60_000,
};
const maxSidePixels = 8192;
const fields =
  'codec_type,codec_name,pix_fmt,width,height,avg_frame_rate,r_frame_rate,nb_read_packets,' +
  'start_pts,duration,sample_aspect_ratio,field_order';

/** Reads the properties of a video file. Frames are counted by packets, so only the first frame is decoded. */
export async function probeVideo(
  { box }: { box: Box },
  path: string,
  folder: string,
  signal?: AbortSignal,
): Promise<ProbedVideo> {
  const sniffed = await sniffContainer(path);
  if (!sniffed) throw new OutputInvalid('the file is neither MP4 nor WebM');
  const command: BoxCommand = {
    program: 'ffprobe',
    arguments: [
      ...words(`-count_packets -show_entries stream=${fields}:stream_side_data=rotation -of json`),
      ...inputArguments(path, sniffed.container),
    ],
    limits,
    folder,
    readable: [path],
    signal,
  };
  const result = await box.run(command);
  await requireSuccess(result, command);

  const streams = readStreams(result.stdout);
  const video = streams.find(({ codec_type }) => codec_type === 'video');
  const audio = streams.find(({ codec_type }) => codec_type === 'audio');
  if (!video) throw new OutputInvalid('the file contains no video');
  const fps = readRatio(video.avg_frame_rate) || readRatio(video.r_frame_rate);
  const frameCount = readNumber(video.nb_read_packets);
  const [width, height] = [readNumber(video.width), readNumber(video.height)];
  if (!(fps > 0 && frameCount > 0 && width > 0 && height > 0)) throw new OutputInvalid('the video has no frames');
  if (Math.max(width, height) > maxSidePixels) throw new OutputInvalid('the video is too large');

  return {
    probe: {
      width,
      height,
      fps,
      frameCount,
      durationSeconds: frameCount / fps,
      codec: String(video.codec_name),
      pixelFormat: String(video.pix_fmt),
      hasAudio: audio !== undefined,
      isFastStart: sniffed.isFastStart,
    },
    container: sniffed.container,
    isPlain:
      streams.length === (audio ? 2 : 1) &&
      readRatio(video.r_frame_rate) === fps &&
      readNumber(video.start_pts) === 0 &&
      // The casts are safe: any other value is simply not in the list.
      ['1:1', undefined].includes(video.sample_aspect_ratio as string | undefined) &&
      ['progressive', undefined].includes(video.field_order as string | undefined) &&
      video.side_data_list === undefined,
    audio: audio ? { codec: String(audio.codec_name), durationSeconds: readNumber(audio.duration) } : null,
  };
}

function readStreams(stdout: Buffer): ProbedStream[] {
  const parsed: unknown = JSON.parse(stdout.toString('utf8'));
  if (typeof parsed !== 'object' || parsed === null || !('streams' in parsed) || !Array.isArray(parsed.streams))
    return [];
  return parsed.streams.filter((stream): stream is ProbedStream => typeof stream === 'object' && stream !== null);
}

function readNumber(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}

function readRatio(value: unknown): number {
  const [numerator, denominator] = String(value).split('/').map(Number);
  const ratio = (numerator ?? 0) / (denominator ?? 1);
  return Number.isFinite(ratio) ? ratio : 0;
}
