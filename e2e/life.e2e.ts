import {
  type ApiClient,
  type ApiResponse,
  call,
  download,
  type ErrorBody,
  type Task,
  type Timeline,
} from '@kinora/stack/harness/api-client';
import { neverRunning } from '@kinora/stack/harness/project-limits';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { runToEnd, untilRendering } from '@kinora/stack/harness/task-waits';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import type { TaskList } from '../sdk/src/generated/types.ts';
import { describedResponses } from './described-responses.ts';
import { untilEngineIdle } from './engine-status.ts';
import { clientFor, createKey, ownProject } from './own-project.ts';

const { testKey, liveKey, waitingKey } = inject('world');
const client = clientFor(testKey);
const small = { prompt: 'Mist lifts off a lake', ...smallestVideo };

const described = await describedResponses();

/** Sends a request without a body, as most clients do. */
const send = <Body>(method: 'POST' | 'DELETE' | 'GET', path: string, caller: ApiClient): Promise<ApiResponse<Body>> => {
  if (method === 'GET') return caller.get<Body>(path);
  return method === 'POST' ? caller.post<Body>(path) : caller.delete<Body>(path);
};
const list = async (caller: ApiClient, query = '') => (await caller.get<TaskList>(`/v1/videos${query}`)).body;
const content = (task: Task, query = '', headers: Record<string, string> = {}, method = 'GET') =>
  client.fetch(`/v1/videos/${task.id}/content${query}`, { method, headers });
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

test('a task can be listed, cancelled and deleted; reading, downloading or cancelling it then returns 410', async () => {
  const { client: own } = await ownProject('life', neverRunning);
  const [first, second] = [await own.create(small), await own.create({ ...small, prompt: 'A kite over the dunes' })];
  const page = await list(own);
  described.check('TaskList')(page);
  for (const task of page.data) described.expectTask(task);
  expect(page.data.map(({ id }) => id)).toEqual([second.id, first.id]);
  expect(await list(own, '?limit=1')).toMatchObject({ first_id: second.id, last_id: second.id, has_more: true });
  expect(await list(own, `?limit=1&after=${second.id}`)).toMatchObject({ last_id: first.id, has_more: false });
  expect((await list(own, '?order=asc&q=KITE')).data).toMatchObject([{ id: second.id }]);
  expect(await list(own, '?status=completed')).toMatchObject({ data: [], first_id: null, last_id: null });

  const cancel = () => own.post(`/v1/videos/${first.id}/cancel`);
  const cancelled = await cancel();
  described.expectTask(cancelled.body);
  expect([cancelled.status, cancelled.body.status, cancelled.body.is_final]).toEqual([200, 'cancelled', true]);
  // The signature of events_url changes every second.
  expect((await cancel()).body).toEqual({ ...cancelled.body, events_url: expect.any(String) });
  expect((await list(own, '?status=cancelled')).data).toMatchObject([{ id: first.id }]);

  for (const id of [first.id, second.id, second.id]) {
    const deleted = await own.delete(`/v1/videos/${id}`);
    described.check('DeletedTask')(deleted.body);
    expect([deleted.status, deleted.body]).toEqual([200, { id, object: 'video.deleted', deleted: true }]);
  }
  expect((await list(own)).data).toEqual([]);
  for (const id of [first.id, second.id]) {
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/content'],
      ['GET', '/timeline'],
      ['POST', '/cancel'],
    ] as const) {
      const { status, body } = await send<ErrorBody>(method, `/v1/videos/${id}${path}`, own);
      described.expectError(body);
      expect([path, status, body.error.code]).toEqual([path, 410, 'task_deleted']);
    }
  }
});

test('callers of another project or mode cannot cancel, delete, download or list a task', async () => {
  const task = await client.create({ ...small, prompt: 'Only mine' });
  const { client: foreign } = await ownProject('another life');
  const unknown = 'task_00000000000000000000000000';
  const bodyOf = async (method: 'POST' | 'DELETE' | 'GET', path: string, caller: ApiClient) => {
    const { status, body } = await send<ErrorBody>(method, path, caller);
    return { status, error: body.error };
  };
  for (const [method, path] of [
    ['GET', '/content'],
    ['GET', '/timeline'],
    ['POST', '/cancel'],
    ['DELETE', ''],
  ] as const) {
    const expected = await bodyOf(method, `/v1/videos/${unknown}${path}`, client);
    expect(expected).toMatchObject({ status: 404, error: { code: 'task_not_found' } });
    for (const caller of [foreign, clientFor(liveKey)]) {
      expect(await bodyOf(method, `/v1/videos/${task.id}${path}`, caller)).toEqual(expected);
    }
    expect(await bodyOf(method, `/v1/videos/nonsense${path}`, client)).toEqual(expected);
  }
  const cursor = await bodyOf('GET', `/v1/videos?after=${unknown}`, foreign);
  expect(cursor).toMatchObject({ status: 400, error: { code: 'invalid_parameter', param: 'after' } });
  expect(await bodyOf('GET', `/v1/videos?after=${task.id}`, foreign)).toEqual(cursor);
  expect(await bodyOf('GET', '/v1/videos?after=nonsense', foreign)).toEqual(cursor);
  expect((await list(foreign)).data).toEqual([]);
  await client.follow(task.id);
});

test('cancelling a rendering task frees the engine, and a completed task cannot be cancelled', async () => {
  const long = await client.create({ ...small, prompt: 'Mist [[delay:600]]' });
  await untilRendering(client, long.id);
  expect((await client.cancel(long.id)).status).toBe('cancelled');
  const done = await runToEnd(client, small);
  const refused = await client.post<ErrorBody>(`/v1/videos/${done.id}/cancel`);
  expect([refused.status, refused.body.error.code]).toEqual([409, 'task_not_cancellable']);
  await untilEngineIdle();
});

describe('a completed task', () => {
  let task: Task;
  let whole: Buffer;
  beforeAll(async () => {
    task = await runToEnd(client, small);
    whole = (await download(task.video_url)).bytes;
  });

  test('a key can download the files of a completed task, each variant, whole and in parts', async () => {
    const video = await content(task, '', { accept: 'application/binary' });
    expect([video.status, video.headers.get('content-type')]).toEqual([200, 'video/mp4']);
    expect(video.headers.get('access-control-allow-origin')).toBeNull();
    expect((await bytesOf(video)).equals(whole)).toBe(true);

    const etag = video.headers.get('etag') ?? '';
    const part = await content(task, '?variant=video', { range: 'bytes=10-19', 'if-range': etag });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${whole.length}`]);
    expect((await bytesOf(part)).equals(whole.subarray(10, 20))).toBe(true);
    expect((await content(task, '', { 'if-none-match': etag })).status).toBe(304);
    expect((await content(task, '', { range: `bytes=${whole.length}-` })).status).toBe(416);
    const head = await content(task, '', {}, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(whole.length)]);

    for (const [variant, signed] of [
      ['thumbnail', task.video?.thumbnail_url],
      ['spritesheet', task.video?.spritesheet_url],
    ] as const) {
      const picture = await content(task, `?variant=${variant}`);
      expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
      expect((await bytesOf(picture)).equals((await download(signed ?? null)).bytes)).toBe(true);
    }
    expect((await content(task, '?variant=poster')).status).toBe(400);
  });

  test('a completed task has a timeline without gaps', async () => {
    const { status, body } = await client.get<Timeline>(`/v1/videos/${task.id}/timeline`);
    described.check('Timeline')(body);
    expect([status, body.id, body.status]).toEqual([200, task.id, 'completed']);
    expect(body.stages.map(({ stage }) => stage)).toEqual(['waiting', 'rendering', 'finishing']);
    const sum = body.stages.reduce((seconds, stage) => seconds + stage.seconds, 0);
    expect(Math.abs(sum - body.seconds)).toBeLessThan(0.01);
    expect(body.attempts).toMatchObject([{ attempt: 1, endpoint: 'animatic', outcome: 'completed' }]);
    expect(body.attempts[0]?.engine_seconds).toBe(task.usage?.engine_seconds);
  });

  test('a completed task looks the same in the list as in a read, with links that work', async () => {
    const listed = (await list(client, '?status=completed&limit=100')).data.find(({ id }) => id === task.id);
    expect(listed).toMatchObject({ id: task.id, progress: 100, video: { sha256: task.video?.sha256 } });
    expect((await download(listed?.video_url ?? null)).bytes.equals(whole)).toBe(true);
  });

  test('deleting a completed task deletes its files, and its signed URLs return 410', async () => {
    const signed = task.video_url ?? '';
    expect((await client.delete(`/v1/videos/${task.id}`)).status).toBe(200);
    const { status, body } = await call<ErrorBody>(signed);
    expect([status, body.error.code]).toEqual([410, 'task_deleted']);
    expect((await content(task)).status).toBe(410);
  });
});

test('the content of a task that is not completed yet returns 404, and the message says why', async () => {
  const own = clientFor(waitingKey);
  const task = await own.create(small);
  const { status, body } = await own.get<ErrorBody>(`/v1/videos/${task.id}/content`);
  expect([status, body.error.code]).toEqual([404, 'not_found']);
  expect(body.error.message).toContain("isn't ready yet");
});

test('the timeline of a retried task shows both attempts', async () => {
  const task = await runToEnd(client, { ...small, prompt: '[[fail-once:engine_crashed]] A gate in the wind' });
  expect(task).toMatchObject({ status: 'completed', attempt: 2 });
  const body = await client.timeline(task.id);
  described.check('Timeline')(body);
  expect(body.attempts.map(({ outcome }) => outcome)).toEqual(['engine_crashed', 'completed']);
  expect(body.stages.map(({ stage, attempt }) => `${stage} ${attempt}`)).toEqual([
    'waiting 1',
    'rendering 1',
    'waiting 2',
    'rendering 2',
    'finishing 2',
  ]);
});

test('a key with only the scope videos:read can list and read tasks, but neither cancel nor delete them', async () => {
  const { projectId, client: own } = await ownProject('readers', neverRunning);
  const task = await own.create(small);
  const reader = clientFor((await createKey(projectId, '--mode', 'test', '--scopes', 'videos:read')).key);
  expect((await list(reader)).data).toHaveLength(1);
  for (const [method, path] of [
    ['POST', '/cancel'],
    ['DELETE', ''],
  ] as const) {
    const { status, body } = await send<ErrorBody>(method, `/v1/videos/${task.id}${path}`, reader);
    expect([status, body.error.code]).toEqual([403, 'insufficient_scope']);
  }
});
