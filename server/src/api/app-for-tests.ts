import { Readable } from 'node:stream';
import type { InjectOptions } from 'fastify';
import type { Caller } from '../domain/caller.ts';
import type { Task } from '../domain/task.ts';
import { AppError } from '../errors.ts';
import { createLog } from '../telemetry/log.ts';
import { type ApiParts, createApp } from './app.ts';
import { createUrlSigner } from './signed-urls.ts';
import { createTaskLinks } from './task-links.ts';

// For tests of HTTP and nothing else: what stands behind the API is tested against the real stack.

/** The service's time of day; tests move it. */
export const clock = {
  moment: new Date('2026-11-15T12:00:00Z'),
  now(): Date {
    return this.moment;
  },
};
export const publicUrl = 'https://videos.example.com';
const signer = createUrlSigner({ publicUrl, secretKeys: ['secret'], clock });
export const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256));
export const events: string[] = [];

const caller: Caller = {
  keyId: 'key_1',
  projectId: 'proj_1',
  livemode: true,
  scopes: ['videos:read', 'videos:write'],
  isSuspended: false,
};
const callers: Record<string, Caller> = {
  good: caller,
  reader: { ...caller, scopes: ['videos:read'] },
  suspended: { ...caller, isSuspended: true },
};

export const task: Task = {
  id: 'task_01k9zqv3x4e8rb6t7y2m5n0p1q',
  projectId: 'proj_1',
  livemode: true,
  keyId: 'key_1',
  version: 3,
  attempt: 1,
  createdAt: clock.now(),
  startedAt: clock.now(),
  engineSeconds: 1,
  type: 'text_to_video',
  model: 'animatic',
  pool: 'animatic',
  prompt: 'a cat',
  negativePrompt: null,
  resolution: '720p',
  aspectRatio: '16:9',
  durationSeconds: 1,
  seed: 7,
  image: null,
  warnings: [],
  metadata: {},
  status: 'completed',
  completedAt: clock.now(),
  expiresAt: new Date('2026-11-22T12:00:00Z'),
  video: {
    objectKey: '2026-11-15/task_1/abcdef.mp4',
    thumbnailKey: '2026-11-15/task_1/123456.jpg',
    spritesheetKey: '2026-11-15/task_1/654321.jpg',
    width: 1280,
    height: 720,
    rendered: { width: 1280, height: 720 },
    fps: 24,
    frameCount: 24,
    durationSeconds: 1,
    sizeBytes: bytes.length,
    sha256: 'abcdef',
    hasAudio: false,
  },
};
const view = { task, live: null, activeTasks: 1, readsPerMinute: 600 };
export const links = createTaskLinks({ signer, clock, storage: { publicUrl: async () => null } });

export const parts: ApiParts = {
  log: createLog({ level: 'silent', roles: [] }),
  clock,
  publicUrl,
  allowHttpImages: false,
  signer,
  links,
  async authenticate(key) {
    if (key === 'database-away') throw new AppError('overloaded', { retryAfterSeconds: 7 });
    if (key === 'broken') throw new Error('password=hunter2 at /srv/db.ts');
    const found = callers[key];
    if (!found) throw new AppError('invalid_api_key');
    return found;
  },
  async createTask({ request }) {
    if (request.prompt === 'too many') throw new AppError('rate_limited', { retryAfterSeconds: 12 });
    events.push('committed');
    return { view, answered: () => events.push('answered') };
  },
  async readTask(_, id) {
    if (id !== task.id) throw new AppError('task_not_found');
    return view;
  },
  async readFile(_, variant) {
    if (variant === 'spritesheet') throw new AppError('video_expired');
    return {
      objectKey: task.video.objectKey,
      sizeBytes: bytes.length,
      contentType: 'video/mp4',
      open: async (range) => {
        events.push('opened');
        if (variant === 'thumbnail')
          return new Readable({
            read() {
              this.destroy(new Error('the store went away'));
            },
          });
        return Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes]);
      },
    };
  },
  readiness: async () => ({ ready: true, checks: { postgres: 'ok', temporal: 'degraded' } }),
  onRouteTime: (route, method, status) => events.push(`${method} ${route} ${status}`),
};

export const app = createApp(parts);

export const auth = { authorization: 'Bearer good' };
export const taskUrl = `/v1/videos/${task.id}`;

/** What the API answers to a request. */
export async function send(options: InjectOptions) {
  const response = await app.inject(options);
  const isJson = String(response.headers['content-type']).startsWith('application/json') && response.body !== '';
  return {
    status: response.statusCode,
    headers: response.headers,
    body: response.body,
    json: isJson ? response.json() : null,
    rawPayload: response.rawPayload,
  };
}

export const create = (payload: string | object, headers: Record<string, string> = {}) =>
  send({
    method: 'POST',
    url: '/v1/videos/text-to-video',
    headers: { ...auth, 'content-type': 'application/json', ...headers },
    payload,
  });
