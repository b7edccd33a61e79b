import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createBox } from '@kinora/boxes/box';
import { debianFfmpeg } from '@kinora/boxes/debian-ffmpeg.fixture';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { OutputInvalid } from '../errors.ts';
import { readVideoFacts } from './read-video-facts.ts';
import { createVideo } from './video.ts';
import type { VideoTarget } from './video-target.ts';

const box = await createBox({});
const video = createVideo({ box });
const root = temporaryFolder('video');

const target: VideoTarget = { width: 240, height: 320, fps: 24, frameCount: 24 };
const x264 = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p';

const ffmpeg = (line: string) => debianFfmpeg(line, root);

/** Makes a video file as an engine would deliver it. */
async function engineFile(name: string, source: string, encoding: string): Promise<string> {
  await ffmpeg(`-f lavfi -i testsrc2=${source} ${encoding} ${name}`);
  return join(root, name);
}

let folders = 0;
async function newFolder(): Promise<string> {
  const folder = join(root, `out-${(folders += 1)}`);
  await mkdir(folder);
  return folder;
}

const packets = async (path: string) => (await ffmpeg(`-i ${path} -map 0:v -c copy -f framehash -`)).toString();
const frameDigests = async (path: string) => (await ffmpeg(`-i ${path} -map 0:v -f framemd5 -`)).toString();
const conform = async (path: string, changes: Partial<VideoTarget> = {}) =>
  video.conform(path, { ...target, ...changes }, await newFolder());

describe('a stream that fits', () => {
  it('is copied frame by frame, with its index moved to the front and its metadata removed', async () => {
    // ComfyUI writes its graph, which contains the caller's prompt, into a tag named `prompt`.
    const tags = '-movflags use_metadata_tags -metadata title=secret-title -metadata prompt=secret-graph';
    const input = await engineFile('fits.mp4', 's=240x320:r=24:d=1', `${x264} -bf 2 ${tags}`);
    expect(await readVideoFacts(input)).toMatchObject({ plain: { isFastStart: false, frameCount: 24, fps: 24 } });
    const { videoPath, properties, rendered } = await conform(input);
    expect(await packets(videoPath)).toBe(await packets(input));
    expect(await frameDigests(videoPath)).toBe(await frameDigests(input));
    expect(properties).toEqual({
      ...target,
      durationSeconds: 1,
      hasAudio: false,
      isFastStart: true,
    });
    expect(rendered).toEqual({ width: 240, height: 320 });
    expect((await readFile(input)).includes('secret-graph')).toBe(true);
    for (const secret of ['secret-title', 'secret-graph'])
      expect((await readFile(videoPath)).includes(secret)).toBe(false);
  });

  it('keeps its sound, cut to the length of the picture', async () => {
    const sound = '-f lavfi -i sine=d=3 -c:a aac';
    const { properties, videoPath } = await conform(
      await engineFile('sound.mp4', 's=240x320:r=24:d=1', `${sound} ${x264}`),
    );
    expect(properties.hasAudio).toBe(true);
    expect(await readVideoFacts(videoPath)).toMatchObject({ audio: { durationSeconds: expect.closeTo(1, 1) } });
  });
});

describe.concurrent('a stream that does not fit', () => {
  it.each([
    ['the canvas of a model', 'canvas.mp4', 's=240x336:r=24:d=1', x264],
    ['one frame too many', 'long.mp4', 's=240x320:r=24:d=1.0417', x264],
    ['half a second too little', 'short.mp4', 's=240x320:r=24:d=0.5', x264],
    ['another shape and rate', 'wide.mp4', 's=640x360:r=30:d=1', x264],
    ['VP8 in WebM', 'vp8.webm', 's=240x320:r=16:d=1.07', '-c:v libvpx -deadline realtime -cpu-used 8'],
    ['MPEG-4 part 2', 'mpeg4.mp4', 's=240x320:r=24:d=1', '-c:v mpeg4 -q:v 5'],
    [
      'H.264 that few players support',
      'full.mp4',
      's=240x320:r=24:d=1',
      '-c:v libx264 -preset ultrafast -pix_fmt yuv444p',
    ],
  ])('%s is converted to exactly the target size and number of frames', async (_name, file, source, encoding) => {
    const input = await engineFile(file, source, encoding);
    const { properties } = await conform(input);
    expect(properties).toMatchObject({ ...target, isFastStart: true });
  });

  it('is scaled to cover and cropped around the centre, and keeps its colours', async () => {
    const bars = 'color=c=0xc83214:s=640x480:r=24:d=1,drawbox=x=0:y=0:w=80:h=480:c=0x0000ff:t=fill';
    await ffmpeg(`-f lavfi -i ${bars} ${x264} bars.mp4`);
    const { videoPath, thumbnailPath, rendered } = await conform(join(root, 'bars.mp4'), { width: 480, height: 480 });
    expect(rendered).toEqual({ width: 640, height: 480 });
    const frame = await ffmpeg(`-i ${videoPath} -frames:v 1 -c:v png -f image2pipe -`);
    for (const picture of [frame, await readFile(thumbnailPath)]) {
      const image = sharp(picture).extract({ left: 10, top: 240, width: 1, height: 1 });
      const [red = 0, green = 0, blue = 0] = await image.removeAlpha().raw().toBuffer(); // the blue bar was cut away
      expect(Math.abs(red - 0xc8) + Math.abs(green - 0x32) + Math.abs(blue - 0x14)).toBeLessThan(20);
    }
  });

  it('gives the same file for the same input', async () => {
    const input = await engineFile('again.mp4', 's=240x336:r=24:d=1', x264);
    const [first, second] = [await conform(input), await conform(input)];
    for (const path of ['videoPath', 'thumbnailPath', 'spritesheetPath'] as const) {
      expect((await readFile(first[path])).equals(await readFile(second[path]))).toBe(true);
    }
    const decoded = (await frameDigests(first.videoPath)).split('\n').filter((line) => /^\d/.test(line));
    expect(decoded).toHaveLength(24);
  });
});

it('thumbnail and spritesheet are JPEGs of the promised size', async () => {
  const source = await engineFile('pictures.mp4', 's=1280x720:r=16:d=1', x264);
  const { thumbnailPath, spritesheetPath } = await conform(source, {
    width: 1280,
    height: 720,
    fps: 16,
    frameCount: 16,
  });
  expect(await sharp(thumbnailPath).metadata()).toMatchObject({ format: 'jpeg', width: 640, height: 360 });
  expect(await sharp(spritesheetPath).metadata()).toMatchObject({ format: 'jpeg', width: 5 * 160, height: 5 * 90 });
  await sharp(spritesheetPath, { failOn: 'warning' }).stats(); // decodes it whole
});

describe.concurrent('an unusable video', () => {
  it.each([
    ['garbage', Buffer.alloc(5000, 7)],
    ['an empty file', Buffer.alloc(0)],
    ['garbage behind an MP4 signature', Buffer.concat([Buffer.from('\0\0\0\u0018ftypisom'), Buffer.alloc(5000, 7)])],
    ['a playlist', Buffer.from('#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n')],
    ['a list of files', Buffer.from("ffconcat version 1.0\nfile '/etc/passwd'\n")],
  ])('%s is refused', async (_name, bytes) => {
    const path = join(await newFolder(), 'video.mp4.raw');
    await writeFile(path, bytes);
    await expect(conform(path)).rejects.toBeInstanceOf(OutputInvalid);
  });

  it('a video that is more than a second too short is refused', async () => {
    const input = await engineFile('missing.mp4', 's=240x320:r=24:d=1', x264);
    await expect(conform(input, { frameCount: 50 })).rejects.toBeInstanceOf(OutputInvalid);
    await expect(conform(input, { frameCount: 48 })).resolves.toMatchObject({ properties: { frameCount: 48 } });
  });

  it('a video whose pictures are larger than its index says is refused', async () => {
    const path = join(root, 'large.mp4');
    await ffmpeg('-f lavfi -i color=c=gray:s=8208x8208:r=24 -frames:v 1 -c:v mjpeg large.mp4');
    await expect(conform(path, { frameCount: 1 })).rejects.toThrow('the video is too large');
    const bytes = await readFile(path);
    const size = Buffer.from([0x20, 0x10, 0x20, 0x10]); // 8208 twice, as the description of the track has it
    bytes.writeUInt32BE(0x0040_0040, bytes.lastIndexOf(size));
    await writeFile(path, bytes);
    expect(await readVideoFacts(path)).toMatchObject({ width: 64, height: 64 });
    await expect(conform(path, { frameCount: 1 })).rejects.toThrow('ffmpeg could not read the video');
  });

  it('a file that is cut short is refused', async () => {
    const whole = await engineFile('whole.mp4', 's=240x320:r=24:d=1', `${x264} -movflags +faststart`);
    const bytes = await readFile(whole);
    const path = join(root, 'cut.mp4');
    await writeFile(path, bytes.subarray(0, bytes.length / 2));
    await expect(conform(path)).rejects.toBeInstanceOf(OutputInvalid);
  });

  it('a stream that fits by its numbers but cannot be decoded is refused', async () => {
    const path = await engineFile('damaged.mp4', 's=240x320:r=24:d=1', `${x264} -movflags +faststart`);
    const file = await open(path, 'r+');
    const { size } = await file.stat();
    await file.write(Buffer.alloc(Math.floor(size / 3), 0x55), 0, undefined, Math.floor(size / 3));
    await file.close();
    await expect(conform(path)).rejects.toBeInstanceOf(OutputInvalid);
  });

  it('an abort rejects with its own reason, not with OutputInvalid', async () => {
    const input = await engineFile('aborted.mp4', 's=240x336:r=24:d=1', x264);
    const reason = new Error('the task was cancelled');
    const work = video.conform(input, target, await newFolder(), AbortSignal.abort(reason));
    await expect(work).rejects.toBe(reason);
  });
});
