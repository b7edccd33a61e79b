import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface Probed {
  streams: {
    codec_name: string;
    codec_type: string;
    width: number;
    height: number;
    pix_fmt: string;
    r_frame_rate: string;
    avg_frame_rate: string;
    nb_read_frames: string;
    sample_aspect_ratio?: string;
  }[];
  format: { format_name: string; duration: string };
}

/** Runs ffprobe on a file. It counts the frames by decoding all of them. */
export async function probe(path: string): Promise<Probed> {
  const options = ['-v', 'error', '-count_frames', '-of', 'json', '-show_streams', '-show_format'];
  const { stdout } = await run('ffprobe', [...options, path]);
  return JSON.parse(stdout) as Probed;
}

/** Returns one hash per decoded frame. */
export async function frameHashes(path: string): Promise<string[]> {
  const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', path, '-map', '0:v', '-f', 'framemd5', '-']);
  return stdout
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(',').at(-1)?.trim() ?? '');
}

/** Returns the names of an MP4's top-level boxes, in the order of the file. */
export function boxesOf(mp4: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at + 8 <= mp4.length; ) {
    const short = mp4.readUInt32BE(at);
    const sizeBytes = short === 1 ? Number(mp4.readBigUInt64BE(at + 8)) : short === 0 ? mp4.length - at : short;
    names.push(mp4.toString('latin1', at + 4, at + 8));
    if (sizeBytes < 8) throw new Error('a box of an MP4 cannot be shorter than its header');
    at += sizeBytes;
  }
  return names;
}

export type Fit = 'crop' | 'pad' | 'stretch';

/** Compares the first frame of a video with an image that ffmpeg fits to its size. 1 means that they are equal. */
export async function firstFrameSsim(
  video: string,
  image: string,
  { fit, turned = false }: { fit: Fit; turned?: boolean },
) {
  const { streams } = await probe(video);
  const { width, height } = streams[0] ?? { width: 0, height: 0 };
  const fitted = {
    crop: `scale=${width}:${height}:force_original_aspect_ratio=increase:flags=lanczos,crop=${width}:${height}`,
    pad: `scale=${width}:${height}:force_original_aspect_ratio=decrease:flags=lanczos,pad=${width}:${height}:-1:-1:black`,
    stretch: `scale=${width}:${height}:flags=lanczos`,
  }[fit];
  const graph =
    `[0:v]trim=end_frame=1,format=gbrp[frame];` +
    `[1:v]${turned ? 'transpose=clock,' : ''}${fitted},setsar=1,format=gbrp[image];[frame][image]ssim`;
  // -noautorotate makes ffmpeg ignore the EXIF tag, because the filter above does the rotation.
  const inputs = ['-i', video, '-noautorotate', '-i', image];
  const { stderr } = await run('ffmpeg', ['-hide_banner', ...inputs, '-filter_complex', graph, '-f', 'null', '-']);
  const [, all] = /All:([\d.]+)/.exec(stderr) ?? [];
  if (all === undefined) throw new Error(`ffmpeg computed no SSIM:\n${stderr}`);
  return Number(all);
}
