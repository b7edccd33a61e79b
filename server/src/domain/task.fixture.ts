import type { TaskRequest, TaskVideo } from './task.ts';

/** A minimal request. Tests override the fields that they are about. */
export const plainRequest: TaskRequest = {
  type: 'text_to_video',
  model: 'animatic',
  pool: 'animatic',
  prompt: 'a lighthouse at dusk',
  negativePrompt: null,
  resolution: '480p',
  aspectRatio: '16:9',
  durationSeconds: 1,
  seed: 7,
  image: null,
  warnings: [],
  metadata: {},
  callbackUrl: null,
  callbackEvents: null,
};

/** A live-mode task without its status. */
export const plainTask = {
  ...plainRequest,
  id: 'task_01k9zqv3x4e8rb6t7y2m5n0p1q',
  projectId: 'proj_1',
  livemode: true,
  keyId: 'key_1',
  version: 1,
  attempt: 1,
  createdAt: new Date(0),
  startedAt: null,
  engineSeconds: 0,
  deletedAt: null,
} as const;

export const plainVideo: TaskVideo = {
  objectKey: '2026-11-15/task_1/abcdef.mp4',
  thumbnailKey: '2026-11-15/task_1/123456.jpg',
  spritesheetKey: '2026-11-15/task_1/654321.jpg',
  width: 854,
  height: 480,
  rendered: { width: 854, height: 480 },
  fps: 24,
  frameCount: 24,
  durationSeconds: 1,
  sizeBytes: 1000,
  storedBytes: 1500,
  sha256: 'a'.repeat(64),
  hasAudio: false,
};
