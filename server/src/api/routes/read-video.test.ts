import { describe, expect, it } from 'vitest';
import type { Task } from '../../domain/task.ts';
import { auth, clock, parts, send, task, taskUrl } from '../app.fixture.ts';
import { createApp } from '../app.ts';

describe('a read of a task', () => {
  it('responds to HEAD without a body', async () => {
    const head = await send({ method: 'HEAD', url: taskUrl, headers: auth });
    expect([head.status, head.body]).toEqual([200, '']);
  });

  it('is 304 if the caller has this state, unless the URLs it has expire within 30 minutes', async () => {
    const first = await send({ url: taskUrl, headers: auth });
    const tag = String(first.headers.etag);
    const readAgain = () => send({ url: taskUrl, headers: { ...auth, 'if-none-match': `"x", ${tag}` } });
    expect(await readAgain()).toMatchObject({ status: 304, body: '' });
    const before = clock.now();
    clock.moment = new Date(before.getTime() + 29 * 60_000);
    expect((await readAgain()).status).toBe(304);
    clock.moment = new Date(before.getTime() + 30 * 60_000);
    const fresh = await readAgain();
    expect(fresh.status).toBe(200);
    expect(fresh.json.video.url_expires_at).toBe(clock.now().getTime() / 1000 + 3600);
    clock.moment = before;
  });

  it('is not 304 if the place in the queue or the expected end has changed', async () => {
    let forecast = { queuePosition: 7, expectedEndAt: clock.now(), isUnserved: false };
    const waiting: Task = { ...task, status: 'queued', admittedAt: null };
    const view = { task: waiting, live: null, activeTasks: 1, readsPerMinute: 600 };
    const own = createApp({ ...parts, readTask: async () => ({ ...view, forecast }) });
    const first = await own.inject({ url: taskUrl, headers: auth });
    const readAgain = () =>
      own.inject({ url: taskUrl, headers: { ...auth, 'if-none-match': String(first.headers.etag) } });
    expect((await readAgain()).statusCode).toBe(304);
    forecast = { ...forecast, queuePosition: 6 };
    const closer = await readAgain();
    forecast = { queuePosition: 7, expectedEndAt: new Date(clock.now().getTime() + 10_000), isUnserved: false };
    const later = await readAgain();
    expect([closer, later].map((response) => response.statusCode)).toEqual([200, 200]);
    expect(closer.json()).toMatchObject({ queue_position: 6 });
    expect(later.json()).toMatchObject({ estimated_completion_at: clock.now().getTime() / 1000 + 10 });
    await own.close();
  });

  it('warns of a queued task whose model no engine serves', async () => {
    const forecast = { queuePosition: 7, expectedEndAt: null, isUnserved: true };
    const waiting: Task = { ...task, status: 'queued', admittedAt: null, warnings: [] };
    const view = { task: waiting, live: null, activeTasks: 1, readsPerMinute: 600, forecast };
    const own = createApp({ ...parts, readTask: async () => view });
    const message = `No engine serves ${task.model} at present. The task starts when one does.`;
    const response = await own.inject({ url: taskUrl, headers: auth });
    expect(response.json()).toMatchObject({ warnings: [{ code: 'model_not_served', param: 'model', message }] });
    await own.close();
  });

  it('still returns the task, without URLs, if URLs cannot be signed', async () => {
    const unable = createApp({ ...parts, links: () => Promise.reject(new Error('no')) });
    const response = await unable.inject({ url: taskUrl, headers: auth });
    expect(response.statusCode).toBe(200);
    expect(response.headers.etag).toBeUndefined();
    expect(response.json()).toMatchObject({ status: 'completed', video_url: null, video: { url: null } });
    await unable.close();
  });
});
