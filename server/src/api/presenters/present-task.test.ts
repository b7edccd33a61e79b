import { readFileSync } from 'node:fs';
import { type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { describe, expect, it } from 'vitest';
import { plainTask } from '../../domain/task.fixture.ts';
import type { Task } from '../../domain/task.ts';
import type { TaskView } from '../../domain/task-view.ts';
import { exampleTask } from '../schemas/example-task.ts';
import { priceSchema, taskSchema, videoSchema, warningSchema } from '../schemas/task-schema.ts';
import { presentTask, type TaskLinks } from './present-task.ts';

const at = (seconds: number) => new Date(1_794_700_000_999 + seconds * 1000);

const accepted = {
  ...plainTask,
  createdAt: at(0),
  type: 'image_to_video',
  prompt: 'a cat',
  aspectRatio: '9:16',
  durationSeconds: 5,
  image: { objectKey: '2026/secret.png', sha256: 'ab', width: 400, height: 700, fit: 'crop' },
  warnings: [{ code: 'unknown_parameter', param: 'x', message: 'x is not known' }],
  metadata: { order: '7' },
} as const satisfies Partial<Task>;

const queued: Task = { ...accepted, status: 'queued', admittedAt: null };
const rendering: Task = { ...accepted, status: 'in_progress', stage: 'preparing', startedAt: at(2) };
const completed: Task = {
  ...accepted,
  status: 'completed',
  startedAt: at(2),
  completedAt: at(40),
  expiresAt: at(700_000),
  engineSeconds: 31.23456,
  video: {
    objectKey: '2026/secret.mp4',
    thumbnailKey: '2026/secret.jpg',
    spritesheetKey: '2026/secret2.jpg',
    width: 480,
    height: 854,
    rendered: { width: 480, height: 864 },
    fps: 24,
    frameCount: 120,
    durationSeconds: 5,
    sizeBytes: 1234,
    sha256: 'cd',
    hasAudio: false,
  },
};
const failed: Task = {
  ...accepted,
  status: 'failed',
  startedAt: at(2),
  completedAt: at(9),
  engineSeconds: 3,
  error: { code: 'engine_crashed', stage: 'rendering' },
};
const cancelled: Task = { ...accepted, status: 'cancelled', completedAt: at(9), stage: 'waiting' };

const links: TaskLinks = {
  eventsUrl: 'https://a.de/e',
  files: {
    videoUrl: 'https://a.de/v',
    thumbnailUrl: 'https://a.de/t',
    spritesheetUrl: 'https://a.de/s',
    urlExpiresAt: at(3640),
  },
};

const view = (task: Task, live: TaskView['live'] = null, activeTasks = 1, readsPerMinute = 600): TaskView => ({
  task,
  live,
  activeTasks,
  readsPerMinute,
});
const price = { amount: '0.10', currency: 'USD' };
const reported = (progress: number, attempt = 1) =>
  ({ attempt, stage: 'rendering', progress, progressSource: 'engine' }) as const;

const progressOf = (task: Task, live: TaskView['live']) => {
  const { stage, progress, progress_source } = presentTask(view(task, live), null);
  return [stage, progress, progress_source];
};

describe('every task', () => {
  const named: Record<string, TSchema> = { 'Video#': videoSchema, 'Warning#': warningSchema, 'Price#': priceSchema };
  const resolve = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(resolve);
    if (typeof schema !== 'object' || schema === null) return schema;
    if ('$ref' in schema) return resolve(named[String(schema.$ref)]);
    const resolved = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, resolve(value)]));
    return 'properties' in resolved ? { ...resolved, additionalProperties: false } : resolved;
  };
  // The cast is safe: the result is plain JSON Schema without references.
  const whole = Compile(Type.Unsafe(resolve(JSON.parse(JSON.stringify(taskSchema))) as TSchema));

  it.each([
    ['queued', view(queued)],
    ['in progress', view(rendering, reported(42))],
    ['completed', view(completed)],
    ['completed with a price', view({ ...completed, price })],
    ['failed', view(failed)],
    ['cancelled', view(cancelled)],
  ])('has exactly the fields of its schema if it is %s', (_, shown) => {
    for (const given of [links, null]) expect(whole.Errors(presentTask(shown, given))).toEqual([]);
  });

  it('has a price only if it is billable and the model had one when the task was accepted', () => {
    const usageOf = (task: Task) => presentTask(view(task), null).usage;
    expect(usageOf({ ...completed, price })).toMatchObject({ billable: true, price });
    expect(usageOf(completed)).not.toHaveProperty('price');
    expect(usageOf({ ...completed, price, livemode: false })).not.toHaveProperty('price');
    expect(usageOf({ ...failed, price })).not.toHaveProperty('price');
  });

  it('has the fields of the example in the documentation', () => {
    expect(whole.Errors(exampleTask)).toEqual([]);
    expect(Object.keys(presentTask(view(completed), links))).toEqual(Object.keys(exampleTask));
  });

  it('looks as in the README: the same fields in the same order, and null where a new task has null', () => {
    const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8');
    const sample = JSON.parse(/```json\n([\s\S]*?)```/.exec(readme)?.[1] ?? '') as Record<string, unknown>;
    const presented = presentTask(view({ ...queued, type: 'text_to_video', image: null }), links);
    const shape = (task: object): string[] => Object.entries(task).map(([name, value]) => `${name} ${value === null}`);
    expect(shape(sample)).toEqual(shape(presented));
  });

  it('does not match the schema with a missing or an extra field, so that the tests above can fail', () => {
    const { usage: _, ...short } = presentTask(view(completed), links);
    expect(whole.Check(short)).toBe(false);
    expect(whole.Check({ ...presentTask(view(completed), links), extra: 1 })).toBe(false);
  });

  it('never contains an object key or the source of its image', () => {
    for (const task of [queued, rendering, completed, failed, cancelled]) {
      expect(JSON.stringify(presentTask(view(task), links))).not.toMatch(/secret|objectKey|proj_|key_1/);
    }
  });
});

describe('a queued task', () => {
  it('has the stage waiting and progress 0, whatever progress was reported', () => {
    expect(presentTask(view({ ...queued, attempt: 2 }, reported(80, 2)), null)).toMatchObject({
      task_id: accepted.id,
      id: accepted.id,
      status: 'queued',
      is_final: false,
      stage: 'waiting',
      progress: 0,
      progress_source: 'none',
      attempt: 2,
      size: '480x854',
      seconds: '5',
      created_at: 1_794_700_000,
      started_at: null,
      completed_at: null,
      expires_at: null,
      video: null,
      video_url: null,
      error: null,
      usage: null,
      image: { sha256: 'ab', width: 400, height: 700, fit: 'crop' },
      metadata: { order: '7' },
    });
  });
});

describe('progress', () => {
  it('is the progress that was reported for this attempt', () => {
    expect(progressOf(rendering, null)).toEqual(['preparing', 0, 'none']);
    expect(progressOf(rendering, reported(42.9))).toEqual(['rendering', 42, 'engine']);
    expect(progressOf({ ...rendering, attempt: 2 }, reported(42))).toEqual(['preparing', 0, 'none']);
  });

  it('is below 100 until the task is completed, and the stage never goes back', () => {
    expect(progressOf({ ...rendering, stage: 'finishing' }, reported(100))).toEqual(['finishing', 99, 'engine']);
    expect(progressOf(completed, reported(97))).toEqual(['finishing', 100, 'engine']);
    expect(progressOf(completed, null)).toEqual(['finishing', 100, 'none']);
  });

  it('is 99 while the video is finished, whatever the engine reported last', () => {
    for (const live of [null, reported(0), reported(45)]) {
      expect(progressOf({ ...rendering, stage: 'finishing' }, live)).toEqual(['finishing', 99, 'engine']);
    }
    const estimated = { ...reported(45), progressSource: 'estimated' } as const;
    expect(progressOf({ ...rendering, stage: 'finishing' }, estimated)).toEqual(['finishing', 95, 'estimated']);
    const inFinishing = { ...failed, error: { ...failed.error, stage: 'finishing' } } as const;
    expect(progressOf(inFinishing, reported(45)).slice(0, 2)).toEqual(['finishing', 99]);
  });

  it('stays as it was when a task fails or is cancelled', () => {
    expect(progressOf(failed, reported(61))).toEqual(['rendering', 61, 'engine']);
    expect(progressOf(failed, null)).toEqual(['rendering', 0, 'none']);
    expect(progressOf(cancelled, reported(100))[1]).toBe(99);
  });
});

describe('a completed task', () => {
  it('has a video with its URLs, and is billable', () => {
    const task = presentTask(view(completed), links);
    expect(task).toMatchObject({
      is_final: true,
      video_url: 'https://a.de/v',
      completed_at: 1_794_700_040,
      expires_at: 1_795_400_000,
      usage: { engine_seconds: 31.235, video_seconds: 5, billable: true },
    });
    expect(task.video).toEqual({
      url: 'https://a.de/v',
      url_expires_at: 1_794_703_640,
      content_type: 'video/mp4',
      width: 480,
      height: 854,
      rendered: { width: 480, height: 864 },
      fps: 24,
      frame_count: 120,
      duration: 5,
      size_bytes: 1234,
      sha256: 'cd',
      has_audio: false,
      thumbnail_url: 'https://a.de/t',
      spritesheet_url: 'https://a.de/s',
      provenance: null,
    });
  });

  it('is shown without URLs if they cannot be signed', () => {
    const { video, video_url } = presentTask(view(completed), null);
    expect(video_url).toBeNull();
    expect(video).toMatchObject({ url: null, url_expires_at: null, thumbnail_url: null, sha256: 'cd' });
  });
});

describe('a failed or cancelled task', () => {
  it('shows the reason of a failure and what to do, and is not billable', () => {
    expect(presentTask(view(failed), null)).toMatchObject({
      error: {
        code: 'engine_crashed',
        message: expect.stringContaining('Try again'),
        retryable: true,
        stage: 'rendering',
      },
      usage: { engine_seconds: 3, video_seconds: 0, billable: false },
      video: null,
    });
    expect(presentTask(view(cancelled), null)).toMatchObject({
      error: null,
      usage: { billable: false },
      completed_at: 1_794_700_009,
    });
  });
});

describe('poll_after_ms', () => {
  it('is at least two seconds, and leaves half of the allowed reads unused', () => {
    expect(presentTask(view(queued, null, 0), null).poll_after_ms).toBe(2000);
    expect(presentTask(view(queued, null, 10), null).poll_after_ms).toBe(2000);
    expect(presentTask(view(queued, null, 100), null).poll_after_ms).toBe(20_000);
    expect(presentTask(view(completed, null, 7, 9), null).poll_after_ms).toBe(93_334);
  });
});
