import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Task } from '../../domain/task.ts';
import type { TaskView } from '../../domain/task-view.ts';
import { AppError } from '../../errors.ts';
import { auth, clock, databaseAway, links, parts, publicUrl, send, task, taskUrl } from '../app.fixture.ts';
import { createApp } from '../app.ts';

const { eventsUrl } = await links(task);
const signed = (eventsUrl ?? '').slice(publicUrl.length);
const inProgress: Task = { ...task, status: 'in_progress', stage: 'rendering' };
const active: TaskView = { task: inProgress, live: null, activeTasks: 1, readsPerMinute: 600 };

describe('the events of a final task', () => {
  it('the stream of a final task sends its state and ends; a reader that has seen the state gets 204', async () => {
    const { status, headers, body } = await send({ url: `${taskUrl}/events`, headers: auth });
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(headers).toMatchObject({ 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    const [, data = ''] = /^id: 3\nevent: task\ndata: (.*)\n\n$/m.exec(body) ?? [];
    expect(JSON.parse(data)).toMatchObject({ task_id: task.id, status: 'completed', events_url: eventsUrl });
    const seen = await send({ url: `${taskUrl}/events`, headers: { ...auth, 'last-event-id': '3' } });
    expect([seen.status, seen.body]).toEqual([204, '']);
  });

  it('pages of any origin can read the stream of a task with a signed URL alone, until it expires', async () => {
    const { status, headers } = await send({ url: signed });
    expect([status, headers['access-control-allow-origin']]).toEqual([200, '*']);
    expect((await send({ method: 'OPTIONS', url: signed })).status).toBe(204);
    const [path] = signed.split('?');
    for (const url of [`${signed}x`, signed.replace('variant=events', 'variant=video'), `${path}?signature=x`]) {
      const refused = await send({ url });
      expect([url, refused.status, refused.json.error.code]).toEqual([url, 403, 'signature_invalid']);
      expect(refused.headers['access-control-allow-origin']).toBe('*');
    }
    // A signature for events opens no file.
    expect((await send({ url: signed.replace('/events', '/content') })).status).toBe(403);
    const before = clock.now();
    clock.moment = new Date(before.getTime() + 3_600_000);
    expect((await send({ url: signed })).status).toBe(403);
    clock.moment = before;
  });

  it('the stream of a task responds to HEAD at once', async () => {
    for (const url of [`${taskUrl}/events`, '/v1/events']) {
      const { status, body } = await send({ method: 'HEAD', url, headers: auth });
      expect([url, status, body]).toEqual([url, 200, '']);
    }
  });
});

describe('streams and waiting requests', () => {
  it('streams and waiting requests end when the server closes, which does not wait for them', async () => {
    let watchers = 0;
    const watchTask = () => {
      watchers += 1;
      return () => undefined;
    };
    const closing = createApp({ ...parts, hub: { ...parts.hub, watchTask }, readTask: async () => active });
    const url = await closing.listen({ host: '127.0.0.1', port: 0 });
    const [ofTask, ofProject] = await Promise.all(
      [`${taskUrl}/events`, '/v1/events'].map((path) => fetch(`${url}${path}`, { headers: auth })),
    );
    vi.useFakeTimers({ toFake: ['setTimeout'] }); // the wait would never be over, and neither are the streams
    onTestFinished(() => void vi.useRealTimers());
    const waiting = fetch(`${url}${taskUrl}?wait=60`, { headers: auth });
    await expect.poll(() => watchers).toBe(2);
    await closing.close();
    // The server would also wait for connections that their callers may use again.
    for (const response of [ofTask, ofProject, await waiting])
      expect(response?.headers.get('connection')).toBe('close');
    expect(await ofTask?.text()).toContain('"status":"in_progress"');
    expect(await ofProject?.text()).toMatch(/^retry: 2000\n: open\n\nid: evt_\w{26}\n\n$/);
    expect(await (await waiting).json()).toMatchObject({ status: 'in_progress' });
  });

  it('streams and waiting requests stop watching the task once their caller has disconnected', async () => {
    let watchers = 0;
    const hub = {
      ...parts.hub,
      watchTask: () => {
        watchers += 1;
        return () => void (watchers -= 1);
      },
    };
    const other = createApp({ ...parts, hub, readTask: async () => active });
    const url = await other.listen({ host: '127.0.0.1', port: 0 });
    const leaving = new AbortController();
    const waiting = fetch(`${url}${taskUrl}?wait=60`, { headers: auth, signal: leaving.signal });
    const stream = await fetch(`${url}${taskUrl}/events`, { headers: auth, signal: leaving.signal });
    await expect.poll(() => watchers).toBe(2);
    leaving.abort();
    await expect(waiting).rejects.toThrow(/aborted/);
    await expect.poll(() => watchers).toBe(0);
    await stream.text().catch(() => undefined);
    await other.close();
  });
});

describe('a stream by signed URL', () => {
  /** Opens the stream of an active task by its signed URL, and returns what resolves to its text once it has ended. */
  async function openSigned(overrides: Partial<typeof parts>) {
    const other = createApp({ ...parts, readSignedTask: async () => active, ...overrides });
    onTestFinished(() => other.close());
    const url = await other.listen({ host: '127.0.0.1', port: 0 });
    const response = await fetch(`${url}${signed}`);
    expect(response.status).toBe(200);
    return { url, text: response.text() };
  }

  it('a stream by signed URL ends when the signature expires, and cannot be opened again', async () => {
    const before = clock.now();
    const { url, text } = await openSigned({});
    clock.moment = new Date(before.getTime() + 3_600_000);
    expect(await text).toContain('"status":"in_progress"');
    expect((await fetch(`${url}${signed}`)).status).toBe(403);
    clock.moment = before;
  });

  it('a stream by signed URL ends when the project is suspended', async () => {
    const suspended = new Set<string>();
    const { text } = await openSigned({ suspendedProjects: async () => suspended });
    suspended.add(task.projectId);
    expect(await text).toContain('"status":"in_progress"');
  });
});

it('a stream that cannot be followed is refused before it begins', async () => {
  const refusing = createApp({
    ...parts,
    readTask: () => Promise.reject(new AppError('task_deleted')),
    hub: { ...parts.hub, watchProject: () => Promise.reject(databaseAway) },
  });
  const ofTask = await refusing.inject({ url: `${taskUrl}/events`, headers: auth });
  expect([ofTask.statusCode, ofTask.json().error.code]).toEqual([410, 'task_deleted']);
  const ofProject = await refusing.inject({ url: '/v1/events', headers: auth });
  expect([ofProject.statusCode, ofProject.json().error.code]).toEqual([503, 'overloaded']);
  const malformed = await refusing.inject({ url: '/v1/events', headers: { ...auth, 'last-event-id': 'x' } });
  expect([malformed.statusCode, malformed.json().error.param]).toEqual([400, 'Last-Event-ID']);
  await refusing.close();
});
