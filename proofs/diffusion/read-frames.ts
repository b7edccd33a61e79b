import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ObservedTask } from './diffusion-evidence.ts';

const run = promisify(execFile);

/** Decodes a video and returns its size, its frame rate and a digest of each frame. */
export async function readFrames(path: string): Promise<NonNullable<ObservedTask['file']>> {
  const quiet = ['-v', 'error'];
  const fields = ['-select_streams', 'v:0', '-show_entries', 'stream=width,height,avg_frame_rate', '-of', 'json'];
  const probed = await run('ffprobe', [...quiet, ...fields, path]);
  const { streams } = JSON.parse(probed.stdout) as {
    streams: { width: number; height: number; avg_frame_rate: string }[];
  };
  const [stream] = streams;
  if (!stream) throw new Error('the file has no video stream');
  const [frames = 0, seconds = 1] = stream.avg_frame_rate.split('/').map(Number);
  // Passthrough yields each frame as it is in the file; none is repeated or dropped to keep a rate.
  const asDigests = '-map 0:v:0 -fps_mode passthrough -f framemd5 -'.split(' ');
  const decoded = await run('ffmpeg', [...quiet, '-i', path, ...asDigests]);
  const digests = decoded.stdout.split('\n').flatMap((line) => /^0,.*\s([0-9a-f]{32})$/.exec(line)?.[1] ?? []);
  return { width: stream.width, height: stream.height, fps: frames / seconds, digests };
}
