import type { ApiClient, ErrorBody, Task } from '@kinora/stack/harness/api-client';
import { eventually } from '@kinora/stack/harness/eventually';
import { neverRunning } from '@kinora/stack/harness/project-limits';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { describedResponses } from './described-responses.ts';
import { type EventSource, openEvents } from './event-source.ts';
import { command } from './operator-command.ts';
import { clientFor, createKey, ownProject } from './own-project.ts';

const { url, liveKey, testKey, waitingKey } = inject('world');
const client = clientFor(liveKey);
const small = { prompt: 'A kite over the dunes', ...smallestVideo };

const eventsOf = (taskId: string) => `/v1/videos/${taskId}/events`;
const tasksOf = (source: EventSource): Task[] =>
  source.messages.filter(({ event }) => event === 'task').map(({ data }) => JSON.parse(data) as Task);

async function open(
  address: string | null,
  headers: Record<string, string> = {},
  send: (address: string, init: RequestInit) => Promise<Response> = fetch,
): Promise<EventSource> {
  if (address === null) throw new Error('there is no events_url');
  const source = await openEvents(address, headers, send);
  onTestFinished(() => source.close());
  return source;
}
const openWith = (caller: ApiClient, path: string, headers = {}) =>
  open(path, headers, (address, init) => caller.fetch(address, init));

/**
 * Starts a request that waits 30 s for a task which never starts. A request that was sent before it with `?wait=60`, and
 * that responds only at the end of its time, responds after this one. The opposite is no fault: on a slow machine this
 * one may be the first.
 */
async function startLaterWait() {
  const own = clientFor(waitingKey);
  const { task_id: taskId } = await own.create(small);
  let hasResponded = false;
  const later = own.get(`/v1/videos/${taskId}?wait=30`).then(() => (hasResponded = true));
  onTestFinished(async () => {
    await own.cancel(taskId);
    await later;
  });
  return { hasResponded: () => hasResponded };
}

/** Creates a project whose tasks never start: they wait until they are cancelled. */
const waitingProject = (name: string) => ownProject(name, neverRunning);

interface Event {
  id: string;
  type: string;
  created_at: number;
  data: Task & { deleted?: true };
}
const eventsIn = (source: EventSource): Event[] =>
  source.messages.filter(({ event }) => event !== 'task').map(({ data }) => JSON.parse(data) as Event);

describe('the stream of a task', () => {
  test('the stream of a task sends the current state, then every change, and ends after the final one; a reconnect gets 204 and stops', async () => {
    const { expectTask } = await describedResponses();
    const created = await client.create(small);
    const source = await open(created.events_url);
    expect(source.status).toBe(200);
    expect(source.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(source.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(source.headers.get('access-control-allow-origin')).toBe('*');
    expect(source.headers.get('x-request-id')).toMatch(/^req_/);
    await source.ended;

    const seen = tasksOf(source);
    for (const task of seen) expectTask(task);
    expect(seen[0]).toMatchObject({ task_id: created.task_id });
    expect(seen.map(({ status }) => status)).toEqual(expect.arrayContaining(['in_progress', 'completed']));
    const end = seen.at(-1);
    expect(end).toMatchObject({ status: 'completed', is_final: true, progress: 100 });
    expect((await fetch(end?.video_url ?? '')).status).toBe(200);
    const progress = seen.filter(({ attempt }) => attempt === 1).map((task) => task.progress);
    expect(progress).toEqual(progress.toSorted((one, other) => one - other));
    const versions = source.messages.map(({ id }) => Number(id));
    expect(versions).toEqual(versions.toSorted((one, other) => one - other));

    const last = source.messages.at(-1)?.id ?? '';
    const reconnected = await open(created.events_url, { 'last-event-id': last });
    expect([reconnected.status, await reconnected.text()]).toEqual([204, '']);
    const behind = await open(created.events_url, { 'last-event-id': '1' });
    await behind.ended;
    expect(tasksOf(behind).map(({ status }) => status)).toEqual(['completed']);
  });

  test('the stream of a task opens only with a key of its project and mode, or with its own signature', async () => {
    const created = await client.create(small);
    const withKey = await openWith(client, eventsOf(created.task_id));
    expect(withKey.status).toBe(200);
    expect(withKey.headers.get('access-control-allow-origin')).toBeNull();
    const other = await client.create(small);
    expect((await open(url + eventsOf(created.task_id))).status).toBe(401);
    const moved = (created.events_url ?? '').replace(created.task_id, other.task_id);
    expect((await open(moved)).status).toBe(403);
    expect((await openWith(clientFor(testKey), eventsOf(created.task_id))).status).toBe(404);
    expect((await openWith(client, eventsOf('task_x'))).status).toBe(404);
    const head = await fetch(created.events_url ?? '', { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const preflight = await fetch(created.events_url ?? '', { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  });

  test('the stream of a task ends when the task is deleted, and returns 410 from then on', async () => {
    const own = clientFor(waitingKey);
    const created = await own.create(small);
    const source = await open(created.events_url);
    await eventually('the current state', async () => source.messages.length > 0);
    expect((await own.delete(`/v1/videos/${created.task_id}`)).status).toBe(200);
    await source.ended;
    expect(tasksOf(source).at(-1)).toMatchObject({ task_id: created.task_id, prompt: '' });
    for (const reopened of [await open(created.events_url), await openWith(own, eventsOf(created.task_id))]) {
      const { error } = JSON.parse(await reopened.text()) as ErrorBody;
      expect([reopened.status, error.code]).toEqual([410, 'task_deleted']);
    }
  });

  test('the stream of a task ends if its key is revoked or its project suspended; a stream by signed URL ends only in the second case', async () => {
    const { projectId, client: own, set } = await waitingProject('streams-revoke');
    const created = await own.create(small);
    const { id, key } = await createKey(projectId, '--mode', 'test');
    const revoked = clientFor(key);
    const byKey = await openWith(revoked, eventsOf(created.task_id));
    const ofProject = await openWith(revoked, '/v1/events');
    const signed = await open(created.events_url);
    expect([byKey.status, ofProject.status, signed.status]).toEqual([200, 200, 200]);
    let hasSignedEnded = false;
    void signed.ended.then(() => (hasSignedEnded = true));
    await command('keys', 'revoke', id);
    await Promise.all([byKey.ended, ofProject.ended]);
    expect(hasSignedEnded).toBe(false);

    const suspended = await openWith(own, '/v1/events');
    // Only the suspension ends a request with this error. If the time of the request is over first, it is sent again.
    const refusal = await eventually('a waiting request is refused', async () => {
      const waiting = own.get<ErrorBody>(`/v1/videos/${created.task_id}?wait=60`);
      await set('--suspend');
      const { status, body } = await waiting;
      if (status !== 200) return body.error;
      await set('--resume');
      return null;
    });
    expect(refusal.code).toBe('project_suspended');
    await Promise.all([suspended.ended, signed.ended]);
    const reopened = await open(created.events_url);
    expect([reopened.status, JSON.parse(await reopened.text()).error.code]).toEqual([403, 'project_suspended']);
  });
});

describe('the stream of a project', () => {
  test('the stream of a project sends every event once, with the task as it was at that time, and progress without an id', async () => {
    const { client: own } = await ownProject('streams-project', ['--running', '2', '--creates', '6000']);
    const source = await openWith(own, '/v1/events');
    const created = await own.create(small);
    await eventually('the end', async () => eventsIn(source).some(({ type }) => type === 'video.completed'));
    const [started, completed] = eventsIn(source);
    expect(eventsIn(source)).toHaveLength(2);
    expect(started).toMatchObject({
      type: 'video.started',
      data: { task_id: created.task_id, status: 'in_progress', stage: 'preparing', progress: 0, usage: null },
    });
    expect(completed).toMatchObject({ type: 'video.completed', data: { status: 'completed', progress: 100 } });
    const ids = source.messages.filter(({ id }) => id !== null);
    expect(ids.map(({ id, event }) => [id, event])).toEqual([
      [started?.id, 'video.started'],
      [completed?.id, 'video.completed'],
    ]);
    expect(tasksOf(source).length).toBeGreaterThan(0);
    expect(source.messages.filter(({ event }) => event === 'task').every(({ id }) => id === null)).toBe(true);
  });

  test('the stream of a project continues after Last-Event-ID without a gap, and other projects get none of its events', async () => {
    const { client: own } = await waitingProject('streams-resume');
    const other = await waitingProject('streams-other');
    const foreign = await openWith(other.client, '/v1/events');
    const first = await openWith(own, '/v1/events');
    const tasks: Task[] = [];
    for (let index = 0; index < 8; index += 1) tasks.push(await own.create(small));
    const [one, ...others] = tasks;
    await own.cancel(one?.task_id ?? '');
    await eventually('the first event', async () => eventsIn(first).length === 1);
    first.close();
    const lastId = eventsIn(first)[0]?.id ?? '';
    for (const { task_id: id } of others.slice(0, 4)) await own.cancel(id);

    const second = await openWith(own, '/v1/events', { 'last-event-id': lastId });
    for (const { task_id: id } of others.slice(4)) await own.cancel(id);
    await eventually('the other seven', async () => eventsIn(second).length >= 7);
    expect(eventsIn(second).map(({ data }) => data.task_id)).toEqual(others.map(({ task_id: id }) => id));
    expect(new Set(eventsIn(second).map(({ id }) => id)).size).toBe(7);
    expect(foreign.messages).toEqual([]);

    const refused = await own.get<ErrorBody>('/v1/events', { 'last-event-id': '7' });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_parameter']);
    const head = await own.fetch('/v1/events', { method: 'HEAD' });
    expect(head.status).toBe(200);
  });

  test('the stream of a project continues without a gap even if it broke before its first event', async () => {
    const { client: own } = await waitingProject('streams-early');
    const { task_id: taskId } = await own.create(small);
    const first = await openWith(own, '/v1/events');
    await eventually('an id to continue from', async () => first.lastEventId() !== '');
    first.close();
    await own.cancel(taskId);
    const second = await openWith(own, '/v1/events', { 'last-event-id': first.lastEventId() });
    await eventually('the event', async () => eventsIn(second).length === 1);
    expect(eventsIn(second)).toMatchObject([{ type: 'video.cancelled', data: { task_id: taskId } }]);
  });

  test('the stream of a project marks a deleted task as deleted', async () => {
    const { client: own } = await waitingProject('streams-tombstone');
    const { task_id: taskId } = await own.create(small);
    const before = await openWith(own, '/v1/events');
    await own.delete(`/v1/videos/${taskId}`);
    const [event] = await eventually('the event', async () => eventsIn(before).length > 0 && eventsIn(before));
    // The smallest id: the stream starts with the oldest event.
    const all = await openWith(own, '/v1/events', { 'last-event-id': 'evt_00000000000000000000000000' });
    await eventually('the same event', async () => eventsIn(all).length > 0);
    expect(eventsIn(all)[0]).toEqual({
      id: event?.id,
      type: 'video.cancelled',
      created_at: event?.created_at,
      data: { task_id: taskId, id: taskId, object: 'video', status: 'cancelled', deleted: true },
    });
  });
});

describe('waiting until a task is final', () => {
  test('?wait responds as soon as the task is final, and not before', async () => {
    const own = clientFor(waitingKey);
    // On a slow machine the time of a request may be over before the task is cancelled and read. Then that proves
    // nothing, and another task is waited for.
    const taskId = await eventually('a request ends together with its task', async () => {
      const { task_id: id } = await own.create(small);
      const waiting = own.get(`/v1/videos/${id}?wait=60`);
      const short = await own.get(`/v1/videos/${id}?wait=1`);
      expect(short.body).toMatchObject({ status: 'queued', is_final: false });
      const later = await startLaterWait();
      await own.cancel(id);
      // The body is read when the wait ends: if it is cancelled, the wait lasted until then.
      const { status } = (await waiting).body;
      // The response for a final task comes at once.
      const again = await own.get(`/v1/videos/${id}?wait=60`);
      expect(again.body).toMatchObject({ status: 'cancelled', is_final: true });
      return status === 'cancelled' && !later.hasResponded() && id;
    });
    for (const wait of ['61', '-1', 'x', '1.5']) {
      const refused = await own.get<ErrorBody>(`/v1/videos/${taskId}?wait=${wait}`);
      expect([wait, refused.status, refused.body.error.param]).toEqual([wait, 400, 'wait']);
    }
  });

  test('Prefer: wait does the same for creates and reads, and the response confirms it', async () => {
    const strict = { 'idempotency-key': 'streams-strict', prefer: 'handling=strict, wait=60' };
    const created = await eventually('a create that waits, or its replay, returns the end of the task', async () => {
      const response = await client.post('/v1/videos/text-to-video', small, strict);
      return response.body.is_final && response;
    });
    expect(created.body).toMatchObject({ status: 'completed', is_final: true });
    expect(created.headers.get('preference-applied')).toBe('handling=strict, wait=60');

    const { client: own } = await waitingProject('streams-prefer');
    // The response has the state at its end: it waited until the cancel, unless its time was over before.
    const waited = await eventually('a create ends together with its task', async () => {
      const creating = own.post('/v1/videos/text-to-video', small, { prefer: 'wait=60' });
      const task = await eventually('the task exists', async () => (await own.list()).find((one) => !one.is_final));
      await own.cancel(task.task_id);
      const response = await creating;
      return response.body.status === 'cancelled' && response;
    });
    expect(waited.headers.get('preference-applied')).toBe('wait=60');
    const idempotency = { 'idempotency-key': 'streams-prefer' };
    const still = await own.post('/v1/videos/text-to-video', small, { ...idempotency, prefer: 'wait=1' });
    expect([still.body.status, still.headers.get('preference-applied')]).toEqual(['queued', 'wait=1']);
    const read = await own.get(`/v1/videos/${still.body.task_id}`, { prefer: 'wait=0' });
    expect([read.body.status, read.headers.get('preference-applied')]).toEqual(['queued', 'wait=0']);
    // A replay with Prefer: wait returns the task as it is now, not as it was created.
    await own.cancel(still.body.task_id);
    const replayed = await own.post('/v1/videos/text-to-video', small, { ...idempotency, prefer: 'wait=5' });
    expect(replayed.body).toMatchObject({ task_id: still.body.task_id, status: 'cancelled' });
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
  });
});
