import { resolve } from 'node:path';

/** A container, by the name of ffmpeg's demuxer for it. */
export type VideoContainer = 'mov' | 'matroska';

/** Splits options as typed in a shell into arguments. Not for paths, which may contain spaces. */
export function words(line: string): string[] {
  return line.split(' ');
}

/** Returns an absolute file URL, which ffmpeg never takes for an option or a protocol, and finds from any folder. */
export function fileUrl(path: string): string {
  return `file:${resolve(path)}`;
}

/** Arguments of every call: no banner, and no protocols except files and pipes, whatever an input file refers to. */
const commonOptions = '-hide_banner -v error -protocol_whitelist file,pipe';

/** The decoders for what engines write; all others are disabled. */
const decoders = 'h264,hevc,mpeg4,mjpeg,vp8,vp9,libdav1d,aac,mp3float,opus,vorbis,flac,pcm_s16le';

/** The longest side of a video from an engine. */
export const maxSidePixels = 8192;

/** Arguments that open a file from an engine. Its first bytes determine the demuxer, so ffmpeg never guesses one. */
export function inputArguments(path: string, container: VideoContainer): string[] {
  return [
    ...words(`${commonOptions} -codec_whitelist ${decoders} -max_pixels ${maxSidePixels ** 2} -f ${container} -i`),
    fileUrl(path),
  ];
}

/** Arguments that open raw frames on stdin. */
export function rawInputArguments({ width, height, fps }: { width: number; height: number; fps: number }): string[] {
  return words(`${commonOptions} -f rawvideo -pix_fmt rgba -s ${width}x${height} -framerate ${fps} -i pipe:0`);
}

/** Arguments that drop the input's metadata and add none of the encoder's. */
export const cleanArguments: readonly string[] = words(
  '-map_metadata -1 -map_chapters -1 -fflags +bitexact -flags:v +bitexact -flags:a +bitexact',
);

/** Arguments for an MP4 with its index in front. */
export const mp4Arguments: readonly string[] = [...cleanArguments, ...words('-movflags +faststart -f mp4')];

/**
 * Arguments for H.264, the same everywhere: `veryfast` for videos from engines, and `superfast`, which takes half the
 * work, for our own drawings. One thread, because with two x264 encoded the same frames differently from run to run,
 * and was hardly faster.
 */
export function h264Arguments(preset: 'veryfast' | 'superfast'): string[] {
  return [
    ...words(`-c:v libx264 -preset ${preset} -crf 20 -pix_fmt yuv420p -threads:v 1`),
    ...words('-color_range tv -colorspace bt709 -color_primaries bt709 -color_trc bt709'),
  ];
}
