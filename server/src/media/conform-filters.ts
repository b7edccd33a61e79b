import type { VideoTarget } from './video-target.ts';

const tiles = { columns: 5, rows: 5, width: 160 };
const thumbnailLongSide = 640;

/** Returns the filters for a stream that is copied: they only make the two pictures from it. */
export function copyFilters(target: VideoTarget): string {
  return `[0:v:0]split=2[a][b];${pictureFilters(target)}`;
}

/** Scales to cover, crops around the centre, sets exact rate and frames, repeating the last if some are missing. */
export function conformFilters(target: VideoTarget): string {
  const { width, height, fps, frameCount } = target;
  const steps = [
    'setpts=PTS-STARTPTS',
    `fps=${fps}`,
    // Engines that convert from RGB without tagging the result write BT.601, which swscale assumes for untagged input.
    `scale=${width}:${height}:force_original_aspect_ratio=increase:flags=bicubic:out_color_matrix=bt709:out_range=tv`,
    `crop=${width}:${height}`,
    'setsar=1',
    'format=yuv420p',
    'setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709',
    `tpad=stop=${Math.ceil(fps) + 1}:stop_mode=clone`,
    `trim=end_frame=${frameCount}`,
  ];
  return `[0:v:0]${steps.join(',')},split=3[video][a][b];${pictureFilters(target)}`;
}

/** [a] becomes the frame at a tenth of the length, [b] a grid of evenly spaced frames that begins with the first. */
function pictureFilters({ width, height, fps, frameCount }: VideoTarget): string {
  const shrink = Math.min(1, thumbnailLongSide / Math.max(width, height));
  const tileCount = tiles.columns * tiles.rows;
  const thumbnail = [`select=eq(n\\,${Math.floor(frameCount / 10)})`, jpegScale(width * shrink, height * shrink)];
  const spritesheet = [
    `fps=${tileCount * fps}/${frameCount}`,
    `tpad=stop=${tileCount}:stop_mode=clone`,
    `trim=end_frame=${tileCount}`,
    jpegScale(tiles.width, (tiles.width * height) / width),
    `tile=${tiles.columns}x${tiles.rows}`,
  ];
  return `[a]${thumbnail.join(',')}[thumbnail];[b]${spritesheet.join(',')}[spritesheet]`;
}

function jpegScale(width: number, height: number): string {
  return `scale=${even(width)}:${even(height)}:flags=area:out_color_matrix=bt601:out_range=pc,format=yuvj420p`;
}

function even(pixels: number): number {
  return Math.max(2, Math.round(pixels / 2) * 2);
}
