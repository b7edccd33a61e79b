import { resolve } from 'node:path';
/** The name of ffmpeg's demuxer. */
export type VideoContainer = 'mov' | 'matroska';

/** Options as one would type them; not for paths, which may hold spaces. */
export function words(line: string): string[] {
  return line.split(' ');
}

/** A path as ffmpeg takes it: never an option or a protocol by its name, and ours though the child runs elsewhere. */
export function fileUrl(path: string): string {
  return `file:${resolve(path)}`;
}

/** For every call: no banner, and no protocol but files and pipes, whatever a file asks for. */
const quietly = '-hide_banner -v error -protocol_whitelist file,pipe';

/** What engines write; every other decoder stays closed. */
const decoders = 'h264,hevc,mpeg4,mjpeg,vp8,vp9,av1,libdav1d,aac,mp3,mp3float,opus,libopus,vorbis,flac,pcm_s16le';

/** Opens a file that an engine wrote; the demuxer is the one its first bytes name, never one ffmpeg guesses. */
export function inputArguments(path: string, container: VideoContainer): string[] {
  return [...words(`${quietly} -codec_whitelist ${decoders} -f ${container} -i`), fileUrl(path)];
}

/** Opens raw frames on stdin. */
export function rawInputArguments({ width, height, fps }: { width: number; height: number; fps: number }): string[] {
  return words(`${quietly} -f rawvideo -pix_fmt rgba -s ${width}x${height} -framerate ${fps} -i pipe:0`);
}

/** Nothing of the input's metadata, nothing of the encoder's. */
export const cleanArguments: readonly string[] = words(
  '-map_metadata -1 -map_chapters -1 -fflags +bitexact -flags:v +bitexact -flags:a +bitexact',
);

/** An MP4 with its index in front. */
export const mp4Arguments: readonly string[] = [...cleanArguments, ...words('-movflags +faststart -f mp4')];

/**
 * The one way we encode: `veryfast` for what engines rendered, `superfast`, with half its work, for our own drawings.
 * One thread: with two, x264 was seen to write the same frames differently from run to run, and was hardly faster.
 */
export function h264Arguments(preset: 'veryfast' | 'superfast'): string[] {
  return [
    ...words(`-c:v libx264 -preset ${preset} -crf 20 -pix_fmt yuv420p -threads:v 1`),
    ...words('-color_range tv -colorspace bt709 -color_primaries bt709 -color_trc bt709'),
  ];
}
