import { Readable } from 'node:stream';
import type { InjectOptions } from 'fastify';
import { afterAll } from 'vitest';
import type { ApiKey } from '../db/access/api-key-table.ts';
import type { AuditPage } from '../db/records/audit-log-table.ts';
import type { StoredFile } from '../db/tasks/file-table.ts';
import type { AuditEvent } from '../domain/audit-event.ts';
import { unusedLimits } from '../domain/caller.fixture.ts';
import type { Caller } from '../domain/caller.ts';
import { builtInCatalogue } from '../domain/catalogue.ts';
import { systemClock } from '../domain/clock.ts';
import { allShards } from '../domain/shard.ts';
import { plainTask, plainVideo } from '../domain/task.fixture.ts';
import type { Task } from '../domain/task.ts';
import { timelineOf } from '../domain/timeline.ts';
import { AppError } from '../errors.ts';
import type { TaskListQuery } from '../operations/tasks/list-tasks.ts';
import { createLog } from '../telemetry/log.ts';
import type { ApiParts } from './api-parts.ts';
import { createApp } from './app.ts';
import { presentTask } from './presenters/present-task.ts';
import { createTaskLinks } from './presenters/task-links.ts';
import { createUrlSigner } from './presenters/url-signer.ts';
import { webhooks } from './webhooks.fixture.ts';

// For tests of HTTP only: the operations behind the API are tested against the real stack.

/** The clock of the service; tests move it. */
export const clock = {
  ...systemClock,
  moment: new Date('2026-11-15T12:00:00Z'),
  now(): Date {
    return this.moment;
  },
};
export const publicUrl = 'https://videos.example.com';
const signer = createUrlSigner({ publicUrl, secretKeys: ['secret'], clock });
export const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256));
export const events: string[] = [];
/** The queries with which tests requested lists of tasks. */
export const listQueries: TaskListQuery[] = [];

/** The keys that were refused, and the queries of the audit log. */
export const refusedKeys: Parameters<ApiParts['noteRefusedKey']>[] = [];
export const auditQueries: AuditPage[] = [];
/** Where the requests to delete a task came from. */
export const deletedFrom: Caller['origin'][] = [];

export const auditEvent: AuditEvent = {
  id: 'aud_01k9zqv3x4e8rb6t7y2m5n0p1q',
  createdAt: clock.now(),
  action: 'project.suspended',
  keyId: null,
  personId: null,
  operator: 'ada',
  command: 'projects set',
  objectId: 'proj_1',
  projectId: 'proj_1',
  livemode: null,
  address: null,
  userAgent: null,
  requestId: null,
  detail: { is_suspended: true },
};

const caller: Caller = {
  keyId: 'key_1',
  projectId: 'proj_1',
  livemode: true,
  scopes: ['videos:read', 'videos:write'],
  expiresAt: null,
  isSuspended: false,
  limits: unusedLimits,
};
const callers: Record<string, Caller> = {
  good: caller,
  auditor: { ...caller, scopes: ['audit:read'] },
  manager: { ...caller, scopes: ['keys:manage'] },
  hooks: { ...caller, scopes: ['webhooks:manage'] },
  tester: { ...caller, livemode: false },
  uploader: { ...caller, scopes: ['files:write'] },
  reader: { ...caller, scopes: ['videos:read'] },
  /** A person in the console who signed in at 11:55 by the clock's first time, and a token for one task. */
  person: {
    ...caller,
    scopes: ['videos:read', 'videos:write', 'files:write', 'webhooks:manage', 'keys:manage'],
    tokenExpiresAt: new Date('2026-11-15T12:10:00Z'),
    person: { id: 'person_1', sessionId: 'sess_1', signedInAt: new Date('2026-11-15T11:55:00Z') },
  },
  'one-task': {
    ...caller,
    tokenExpiresAt: new Date('2026-11-15T12:10:00Z'),
    onlyTaskId: plainTask.id,
  },
  suspended: { ...caller, scopes: ['videos:read', 'videos:write', 'files:write'], isSuspended: true },
};

export const apiKey: ApiKey = {
  id: 'key_01k9zqv3x4e8rb6t7y2m5n0p1q',
  projectId: 'proj_1',
  livemode: true,
  name: 'a key',
  scopes: ['videos:read'],
  prefix: 'kin_live_',
  lastFour: 'x7Qa',
  createdAt: clock.now(),
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  createdByKeyId: null,
};

export const task: Task = {
  ...plainTask,
  version: 3,
  createdAt: clock.now(),
  startedAt: clock.now(),
  engineSeconds: 1,
  prompt: 'a cat',
  resolution: '720p',
  status: 'completed',
  completedAt: clock.now(),
  expiresAt: new Date('2026-11-22T12:00:00Z'),
  video: {
    ...plainVideo,
    width: 1280,
    height: 720,
    rendered: { width: 1280, height: 720 },
    sizeBytes: bytes.length,
    sha256: 'abcdef',
  },
};
const view = { task, live: null, activeTasks: 1, readsPerMinute: 600 };
export const links = createTaskLinks({ signer, clock, storage: { publicUrl: async () => null } });

export const storedFile: StoredFile = {
  id: 'file_01k9zqv3x4e8rb6t7y2m5n0p1q',
  projectId: 'proj_1',
  livemode: true,
  keyId: 'key_1',
  objectKey: 'uploads/2026-11-15/file_1/abcdef.png',
  name: 'boat.jpg',
  contentType: 'image/png',
  sizeBytes: 1000,
  sha256: 'abcdef',
  width: 640,
  height: 480,
  createdAt: clock.now(),
  expiresAt: new Date('2026-11-16T12:00:00Z'),
};

/** The error that every part throws while the database is unreachable; `isDatabaseUnavailable` recognises it by its code. */
export const databaseAway = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });

export const parts: ApiParts = {
  log: createLog({ level: 'silent', roles: [] }),
  clock,
  isDatabaseUnavailable: (error) => error instanceof Error && 'code' in error && String(error.code).startsWith('ECONN'),
  publicUrl,
  hasDocs: true,
  trustedProxies: [],
  keylessPerMinute: 1_000_000,
  catalogue: () => builtInCatalogue,
  mostWaiting: async () => 0,
  acceptingPools: async () => new Set(['animatic']),
  speeds: { find: () => null, of: () => [] },
  allowHttpImages: false,
  refusalOfUrl: (url) => (url.startsWith('https://') ? null : 'scheme'),
  promptWarning: ({ prompt }) =>
    prompt.includes('zorp') ? { code: 'prompt_not_understood', param: 'prompt', message: 'What is a zorp?' } : null,
  webhooks,
  corsOrigins: ['https://app.example.com'],
  connectionLimit: 1_000,
  downloadLimit: 160,
  onConnectionClosed: (reason) => events.push(`connection closed: ${reason}`),
  signer,
  links,
  hub: { watchTask: () => () => undefined, watchProject: async () => () => undefined },
  readSignedTask: async () => view,
  readEvents: async () => ({ events: [], next: null }),
  refusedKeys: async () => [],
  suspendedProjects: async () => new Set(),
  shards: allShards,
  async authenticate(key, beforeLookup) {
    if (!(key in callers)) beforeLookup();
    if (key === 'database-away') throw databaseAway;
    if (key === 'broken') throw new Error('password=hunter2 at /srv/db.ts');
    const found = callers[key];
    if (!found) throw new AppError('invalid_api_key');
    return found;
  },
  noteRefusedKey: (...refused) => refusedKeys.push(refused),
  createToken: async (_, { scopes, taskId, seconds }) => ({
    text: 'kin_token_text',
    scopes: scopes ?? ['videos:read'],
    taskId,
    expiresAt: new Date(clock.now().getTime() + seconds * 1000),
  }),
  async listAuditEvents(_, query) {
    auditQueries.push(query);
    return { events: [auditEvent], hasMore: true };
  },
  apiKeys: {
    list: async () => ({ keys: [apiKey], hasMore: false }),
    create: async (_, { name, scopes, expiresAt }) => ({
      ...apiKey,
      name,
      scopes: scopes ?? apiKey.scopes,
      expiresAt: expiresAt ?? null,
      key: 'kin_live_text',
    }),
    rotate: async (_, id, overlapSeconds) => {
      if (id !== apiKey.id) throw new AppError('not_found');
      events.push(`rotated with ${overlapSeconds}`);
      return { ...apiKey, key: 'kin_live_text' };
    },
    revoke: async (_, id) => {
      if (id !== apiKey.id) throw new AppError('not_found');
    },
  },
  async createTask({ request, idempotency }) {
    if (request.prompt === 'too many') throw new AppError('rate_limited', { retryAfterSeconds: 12 });
    events.push('committed');
    return {
      taskId: task.id,
      response: JSON.stringify(presentTask(view, null)),
      isReplayed: idempotency?.scope.key === 'known',
      createAllowedAt: idempotency === null ? new Date(clock.now().getTime() + 3_000) : null,
      onSent: () => events.push('sent'),
    };
  },
  async readTask(_, id) {
    if (id !== task.id) throw new AppError('task_not_found');
    return view;
  },
  async listTasks(_, query) {
    listQueries.push(query);
    const { running, waiting, readsPerMinute } = caller.limits;
    const views = query.filter.words === 'nothing yet' ? [] : [view];
    return { views, next: view.task.id, activeTasks: running + waiting, readsPerMinute };
  },
  async cancelTask(_, id) {
    if (id !== task.id) throw new AppError('task_not_found');
    throw new AppError('task_not_cancellable');
  },
  async deleteTask({ origin }, id) {
    if (id !== task.id) throw new AppError('task_not_found');
    deletedFrom.push(origin);
  },
  readUsage: async (_, { groupBy }) => ({
    start: new Date('2026-11-14T00:00:00Z'),
    end: new Date('2026-11-16T00:00:00Z'),
    bucketSeconds: 86_400,
    groupBy,
    sums: [],
  }),
  async readTimeline(_, id) {
    if (id !== task.id) throw new AppError('task_not_found');
    return timelineOf(task, [], clock.now());
  },
  async readFile(id, variant, owner, beforeRead) {
    if (owner && id !== task.id) throw new AppError('task_not_found');
    if (variant === 'spritesheet') throw new AppError('video_expired');
    beforeRead(task);
    return {
      objectKey: task.video.objectKey,
      sizeBytes: bytes.length,
      contentType: 'video/mp4',
      open: async (range) => {
        events.push('opened');
        if (variant === 'thumbnail')
          return new Readable({
            read() {
              this.destroy(new Error('the store is unreachable'));
            },
          });
        return Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes]);
      },
    };
  },
  files: {
    async upload(_, upload) {
      return { ...storedFile, name: upload.name, sizeBytes: upload.bytes.byteLength };
    },
    async find(_, id) {
      if (id !== storedFile.id) throw new AppError('not_found');
      return storedFile;
    },
    async delete(_, id) {
      if (id !== storedFile.id) throw new AppError('not_found');
    },
  },
  readiness: async () => ({ ready: true, checks: { postgres: 'ok', temporal: 'degraded' }, isolation: 'confined' }),
  onRouteTime: (route, method, status) => events.push(`${method} ${route} ${status}`),
};

export const app = createApp(parts);
afterAll(() => app.close());

export const auth = { authorization: 'Bearer good' };
export const taskUrl = `/v1/videos/${task.id}`;

/** Sends a request to the API and returns the response. */
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
