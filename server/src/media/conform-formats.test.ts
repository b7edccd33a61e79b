import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createBox } from '@kinora/boxes/box';
import { debianFfmpeg } from '@kinora/boxes/debian-ffmpeg.fixture';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { expect, it } from 'vitest';
import { createVideo } from './video.ts';

const video = createVideo({ box: await createBox({}) });
const root = temporaryFolder('conform-formats');

const target = { width: 64, height: 96, fps: 24, frameCount: 24 };
const sources = '-f lavfi -i testsrc2=s=96x64:r=16:d=1 -f lavfi -i sine=d=1';
const x264 = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p';
const vp9 = '-c:v libvpx-vp9 -deadline realtime -cpu-used 8';
const av1 = '-c:v libsvtav1 -preset 12';

/** Conforms a file in a new folder, and returns hashes of the decoded frames and of the sound, one per line. */
async function conform(name: string): Promise<{ frames: string[]; sound: string[] }> {
  const folder = join(root, `${name}-out`);
  await mkdir(folder);
  const { videoPath } = await video.conform(join(root, name), target, folder);
  const hashes = async (stream: string) =>
    (await debianFfmpeg(`-i ${videoPath} -map 0:${stream}? -f framemd5 -`, root))
      .toString()
      .split('\n')
      .filter((line) => /^\d/.test(line));
  return { frames: await hashes('v'), sound: await hashes('a') };
}

it.each([
  ['H.264 and AAC', 'h264.mp4', `${x264} -c:a aac`],
  ['HEVC with 10 bits, and MP3', 'hevc.mp4', '-c:v libx265 -preset ultrafast -pix_fmt yuv420p10le -c:a libmp3lame'],
  ['VP8 and Vorbis', 'vp8.webm', '-c:v libvpx -deadline realtime -cpu-used 8 -c:a libvorbis'],
  ['VP9 and Opus', 'vp9.webm', `${vp9} -c:a libopus`],
  ['VP9 in MP4', 'vp9.mp4', `${vp9} -c:a aac`],
  ['AV1 and FLAC', 'av1.mkv', `${av1} -c:a flac`],
  ['AV1 in MP4', 'av1.mp4', `${av1} -c:a libopus`],
  ['MPEG-4 part 2 and PCM', 'mpeg4.mov', '-c:v mpeg4 -q:v 5 -c:a pcm_s16le'],
  ['Motion JPEG and PCM', 'mjpeg.mkv', '-c:v mjpeg -q:v 3 -c:a pcm_s16le'],
])('a file with %s is converted with its sound', async (_name, file, encoding) => {
  await debianFfmpeg(`${sources} ${encoding} ${file}`, root);
  const { frames, sound } = await conform(file);
  expect(frames).toHaveLength(target.frameCount);
  expect(sound.length).toBeGreaterThan(40); // a packet of AAC has 1024 samples
});

it('a file that says by how much it is turned is delivered upright', async () => {
  await debianFfmpeg(`${sources} ${x264} -an upright.mp4`, root);
  const seen = new Set((await conform('upright.mp4')).frames.slice(0, 1));
  for (const degrees of [90, 180, 270, 45]) {
    const name = `turned-${degrees}.mp4`;
    await debianFfmpeg(`-i upright.mp4 -c copy -metadata:s:v rotate=${degrees} ${name}`, root);
    const { frames } = await conform(name);
    expect(frames).toHaveLength(target.frameCount);
    seen.add(frames[0] ?? '');
  }
  expect(seen.size).toBe(5); // each turn gives another picture
});
