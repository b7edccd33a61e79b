import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { clientFor, download, type Sights, type Task, type Video } from './client.ts';
import { boxesOf, frameHashes, probe, save } from './media.ts';

const sizes = {
  '480p': {
    '16:9': '854x480',
    '9:16': '480x854',
    '4:3': '640x480',
    '3:4': '480x640',
    '21:9': '1120x480',
    '1:1': '480x480',
  },
  '720p': {
    '16:9': '1280x720',
    '9:16': '720x1280',
    '4:3': '960x720',
    '3:4': '720x960',
    '21:9': '1680x720',
    '1:1': '720x720',
  },
  '1080p': {
    '16:9': '1920x1080',
    '9:16': '1080x1920',
    '4:3': '1440x1080',
    '3:4': '1080x1440',
    '21:9': '2520x1080',
    '1:1': '1080x1080',
  },
};
const eighteen = Object.entries(sizes).flatMap(([resolution, byRatio]) =>
  Object.entries(byRatio).map(([aspect_ratio, size]) => ({ resolution, aspect_ratio, size, duration: 1 })),
);
const longer = [
  { resolution: '480p', aspect_ratio: '16:9', size: '854x480', duration: 5 },
  { resolution: '480p', aspect_ratio: '16:9', size: '854x480', duration: 10 },
  { resolution: '1080p', aspect_ratio: '16:9', size: '1920x1080', duration: 10 },
];
const cases = [...longer, ...eighteen];

const client = clientFor(inject('world').liveKey);
const prompt = 'A lighthouse at dusk while the tide comes in';

interface Followed {
  created: Task;
  sights: Promise<Sights>;
}

/** Creates a task and watches it from now on; a test awaits what was seen. */
async function submit(fields: Record<string, unknown>): Promise<Followed> {
  const created = await client.create({ prompt, ...fields });
  const sights = client.follow(created.task_id);
  sights.catch(() => undefined); // told by the test that awaits it
  return { created, sights };
}

function videoOf({ end }: Sights): Video {
  expect(end).toMatchObject({ status: 'completed', error: null });
  if (!end.video) throw new Error('a completed task has no video');
  return end.video;
}

describe('a prompt becomes exactly the video that was asked for', () => {
  let followed: Followed[];
  beforeAll(async () => {
    // All at once: what may not run yet waits, and the longest begin first.
    followed = [];
    for (const { resolution, aspect_ratio, duration } of cases) {
      followed.push(await submit({ resolution, aspect_ratio, duration, seed: 11 }));
    }
  });

  test.each(cases.map((wanted, index) => ({ ...wanted, index })))(
    '$resolution $aspect_ratio, $duration s: $size',
    async ({ size, duration, resolution, aspect_ratio, index }) => {
      const { created, sights } = followed[index] ?? (await submit({}));
      expect(created).toMatchObject({
        status: 'queued',
        progress: 0,
        size,
        duration,
        resolution,
        aspect_ratio,
        video: null,
      });
      const seen = await sights;
      expectLegalLife(seen.all);
      if (duration > 1) expectRealProgress(seen.all);

      const video = videoOf(seen);
      const [width, height] = size.split('x').map(Number);
      const frameCount = duration * 24;
      expect(video).toMatchObject({
        width,
        height,
        fps: 24,
        frame_count: frameCount,
        duration,
        content_type: 'video/mp4',
      });
      expect(seen.end).toMatchObject({
        progress: 100,
        video_url: video.url,
        usage: { video_seconds: duration, billable: true },
      });

      const { bytes, contentType } = await download(seen.end.video_url);
      expect(contentType).toBe('video/mp4');
      expect(bytes.length).toBe(video.size_bytes);
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(video.sha256);
      const boxes = boxesOf(bytes);
      expect(boxes).toEqual(expect.arrayContaining(['ftyp', 'moov', 'mdat']));
      expect(boxes.indexOf('moov')).toBeLessThan(boxes.indexOf('mdat'));

      const { streams, format } = await probe(await save(bytes, 'mp4'));
      expect(streams).toHaveLength(video.has_audio ? 2 : 1);
      expect(streams[0]).toMatchObject({
        codec_name: 'h264',
        pix_fmt: 'yuv420p',
        width,
        height,
        r_frame_rate: '24/1',
        avg_frame_rate: '24/1',
        nb_read_frames: String(frameCount),
      });
      expect(Number(format.duration)).toBeCloseTo(duration, 2);
      await expectPicture(video.thumbnail_url);
      await expectPicture(video.spritesheet_url);
    },
  );
});

describe('seeds', () => {
  test('the same seed gives the same decoded frames, another seed others, and so does another prompt', async () => {
    const small = { resolution: '480p', aspect_ratio: '1:1', duration: 1 };
    const submitted = await Promise.all([
      submit({ ...small, seed: 4242 }),
      submit({ ...small, seed: 4242 }),
      submit({ ...small, seed: 4243 }),
      submit({ ...small, seed: 4242, prompt: 'A desert under two moons' }),
    ]);
    const hashes = await Promise.all(
      submitted.map(async ({ sights }) => {
        const { bytes } = await download(videoOf(await sights).url);
        return frameHashes(await save(bytes, 'mp4'));
      }),
    );
    const [first, again, otherSeed, otherPrompt] = hashes;
    expect(first).toHaveLength(24);
    // Something moves in it.
    expect(new Set(first).size).toBeGreaterThan(12);
    expect(again).toEqual(first);
    expect(otherSeed).not.toEqual(first);
    expect(otherPrompt).not.toEqual(first);
  });
});

const stages = ['waiting', 'preparing', 'rendering', 'finishing'];
const nextStatuses: Record<string, string[]> = {
  queued: ['queued', 'in_progress', 'completed'],
  in_progress: ['in_progress', 'completed'],
};

/** Status, stage and progress only ever go forward, unless the service itself tries again. */
function expectLegalLife(sights: Task[]): void {
  const steps = sights.slice(1).map((now, index) => ({ before: sights[index] ?? now, now }));
  const illegal = steps.filter(({ before, now }) => {
    if (before.is_final || now.attempt < before.attempt) return true;
    if (now.attempt > before.attempt) return false;
    const isForward = now.progress >= before.progress && stages.indexOf(now.stage) >= stages.indexOf(before.stage);
    return !isForward || !nextStatuses[before.status]?.includes(now.status);
  });
  expect(illegal).toEqual([]);
}

/** Not only 0 and 100: the engine's own count of frames, more than once on the way. */
function expectRealProgress(sights: Task[]): void {
  const between = sights.filter(
    ({ progress, progress_source: source }) => source === 'engine' && progress > 0 && progress < 100,
  );
  expect(new Set(between.map(({ progress }) => progress)).size).toBeGreaterThanOrEqual(3);
}

async function expectPicture(url: string): Promise<void> {
  const { bytes, contentType } = await download(url);
  expect(contentType).toBe('image/jpeg');
  const { streams } = await probe(await save(bytes, 'jpg'));
  expect(streams[0]).toMatchObject({ codec_name: 'mjpeg', nb_read_frames: '1' });
  expect(Math.min(streams[0]?.width ?? 0, streams[0]?.height ?? 0)).toBeGreaterThan(50);
}
