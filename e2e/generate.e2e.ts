import { createHash } from 'node:crypto';
import type { Video } from '@kinora/sdk';
import { download, type Followed, type Task } from '@kinora/stack/harness/api-client';
import { ampleLimits } from '@kinora/stack/harness/project-limits';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { beforeAll, describe, expect, test } from 'vitest';
import { sizes } from '../integrations/ai-sdk/src/video-size.ts';
import { type EventSource, openEvents } from './event-source.ts';
import { save } from './media-folder.ts';
import { ownProject } from './own-project.ts';
import { boxesOf, frameHashes, probe } from './probe-video.ts';

const eighteen = Object.entries(sizes).flatMap(([resolution, byRatio]) =>
  Object.entries(byRatio).map(([aspect_ratio, size]) => ({ resolution, aspect_ratio, size, duration: 1 })),
);
const longer = [
  { resolution: '480p', aspect_ratio: '16:9', size: '854x480', duration: 5 },
  { resolution: '480p', aspect_ratio: '16:9', size: '854x480', duration: 10 },
  { resolution: '1080p', aspect_ratio: '16:9', size: '1920x1080', duration: 10 },
];
const cases = [...longer, ...eighteen];

/** Renders so long that its progress is reported several times, even if the machine pauses. */
const isLongest = ({ resolution, duration }: { resolution: string; duration: number }) =>
  resolution === '1080p' && duration === 10;

const prompt = 'A lighthouse at dusk while the tide comes in';

/** This file has a project of its own, so that tests in other files do not wait for its many videos. */
const { client } = await ownProject('generate', ampleLimits, 'live');

interface Submitted {
  created: Task;
  followed: Promise<Followed>;
  events: EventSource | null;
}

/** Creates a task and starts to follow it, with all its events if needed; a test awaits the result. */
async function submit(fields: Record<string, unknown>, { needsEvents = false } = {}): Promise<Submitted> {
  const created = await client.create({ prompt, ...fields });
  const followed = client.follow(created.task_id);
  followed.catch(() => undefined); // the test that awaits it reports the error
  return { created, followed, events: needsEvents ? await openEvents(created.events_url ?? '', {}, fetch) : null };
}

function videoOf({ end }: Followed): Video {
  expect(end).toMatchObject({ status: 'completed', error: null });
  if (!end.video) throw new Error('a completed task has no video');
  return end.video;
}

describe('a prompt becomes exactly the requested video', () => {
  let submitted: Submitted[];
  beforeAll(async () => {
    // All tasks are created at once: those over the running limit wait, and the longest ones start first.
    submitted = [];
    for (const { resolution, aspect_ratio, duration } of cases) {
      const fields = { resolution, aspect_ratio, duration, seed: 11 };
      submitted.push(await submit(fields, { needsEvents: isLongest({ resolution, duration }) }));
    }
  });

  test.each(cases.map((requested, index) => ({ ...requested, index })))(
    '$resolution $aspect_ratio, $duration s: $size',
    async ({ size, duration, resolution, aspect_ratio, index }) => {
      const { created, followed, events } = submitted[index] ?? (await submit({}));
      expect(created).toMatchObject({
        status: 'queued',
        progress: 0,
        size,
        duration,
        resolution,
        aspect_ratio,
        video: null,
      });
      const seen = await followed;
      expectLegalLife(seen.all);
      if (isLongest({ resolution, duration })) {
        await events?.ended;
        expectRealProgress((events?.messages ?? []).map(({ data }) => JSON.parse(data) as Task));
      }

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
  test('the same seed gives the same decoded frames; another seed or another prompt gives different ones', async () => {
    const submitted = await Promise.all([
      submit({ ...smallestVideo, seed: 4242 }),
      submit({ ...smallestVideo, seed: 4242 }),
      submit({ ...smallestVideo, seed: 4243 }),
      submit({ ...smallestVideo, seed: 4242, prompt: 'A desert under two moons' }),
    ]);
    const hashes = await Promise.all(
      submitted.map(async ({ followed }) => {
        const { bytes } = await download(videoOf(await followed).url);
        return frameHashes(await save(bytes, 'mp4'));
      }),
    );
    const [first, sameSeed, otherSeed, otherPrompt] = hashes;
    expect(first).toHaveLength(24);
    // The picture moves.
    expect(new Set(first).size).toBeGreaterThan(12);
    expect(sameSeed).toEqual(first);
    expect(otherSeed).not.toEqual(first);
    expect(otherPrompt).not.toEqual(first);
  });
});

const stages = ['waiting', 'preparing', 'rendering', 'finishing'];
const nextStatuses: Record<string, string[]> = {
  queued: ['queued', 'in_progress', 'completed'],
  in_progress: ['in_progress', 'completed'],
};

/** Status, stage and progress may only move forward, unless the service starts another attempt. */
function expectLegalLife(states: Task[]): void {
  const steps = states.slice(1).map((now, index) => ({ before: states[index] ?? now, now }));
  const illegal = steps.filter(({ before, now }) => {
    if (before.is_final || now.attempt < before.attempt) return true;
    if (now.attempt > before.attempt) return false;
    const isForward = now.progress >= before.progress && stages.indexOf(now.stage) >= stages.indexOf(before.stage);
    return !isForward || !nextStatuses[before.status]?.includes(now.status);
  });
  expect(illegal).toEqual([]);
}

/** The engine must report its own progress at least three times between 0 and 100. */
function expectRealProgress(states: Task[]): void {
  const between = states.filter(
    ({ progress, progress_source: source }) => source === 'engine' && progress > 0 && progress < 100,
  );
  expect(new Set(between.map(({ progress }) => progress)).size).toBeGreaterThanOrEqual(3);
}

async function expectPicture(url: string | null): Promise<void> {
  const { bytes, contentType } = await download(url);
  expect(contentType).toBe('image/jpeg');
  const { streams } = await probe(await save(bytes, 'jpg'));
  expect(streams[0]).toMatchObject({ codec_name: 'mjpeg', nb_read_frames: '1' });
  expect(Math.min(streams[0]?.width ?? 0, streams[0]?.height ?? 0)).toBeGreaterThan(50);
}
