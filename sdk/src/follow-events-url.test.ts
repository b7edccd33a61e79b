import { describe, expect, test } from 'vitest';
import { followEventsUrl, InvalidRequestError, PermissionError, type Task } from './index.ts';
import {
  drop,
  event,
  type Handler,
  json,
  problem,
  startScriptedServer,
  stream,
  taskAt,
} from './scripted-server.fixture.ts';

async function serve(handlerFor: (count: number, baseUrl: string) => Handler) {
  const server = await startScriptedServer((_request, count) => handlerFor(count, server.baseUrl));
  return { ...server, eventsUrl: `${server.baseUrl}/v1/videos/task_1/events?signature=1` };
}

async function progressOf(tasks: AsyncIterable<Task>): Promise<number[]> {
  const seen: number[] = [];
  for await (const { progress } of tasks) seen.push(progress);
  return seen;
}

describe.concurrent('a signed events_url', () => {
  test('is enough to follow a task to its end over broken connections, and is never replaced by one in the stream', async () => {
    const { requests, eventsUrl } = await serve((count, baseUrl) => {
      if (count === 2) return drop;
      const other = `${baseUrl}/v1/videos/task_1/events?signature=${count + 1}`;
      return stream([event('task', taskAt(count === 1 ? 10 : 100, { events_url: other }))], 'break');
    });
    expect(await progressOf(followEventsUrl(eventsUrl))).toEqual([10, 100]);
    expect(requests.map(({ url }) => url.split('signature=')[1])).toEqual(['1', '1', '1']);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined, undefined]);
  });

  test('that has expired is replaced by a fresh one from the backend, as often as it expires', async () => {
    const expired = json(403, problem('signature_invalid'));
    const { requests, eventsUrl, baseUrl } = await serve((count) =>
      count % 2 === 0 ? expired : stream([event('task', taskAt(count === 5 ? 100 : 10 * count))], 'end'),
    );
    let fetched = 1;
    const freshUrl = async () => `${baseUrl}/v1/videos/task_1/events?signature=${(fetched += 1)}`;
    expect(await progressOf(followEventsUrl(eventsUrl, { freshUrl }))).toEqual([10, 30, 100]);
    expect(requests.map(({ url }) => url.split('signature=')[1])).toEqual(['1', '1', '2', '2', '3']);
  });

  test('is fetched again after the backend could not be reached', async () => {
    const { eventsUrl } = await serve((count) =>
      count <= 2 ? json(403, problem('signature_invalid')) : stream([event('task', taskAt(100))], 'end'),
    );
    let calls = 0;
    const freshUrl = async () => {
      calls += 1;
      if (calls === 1) throw new TypeError('fetch failed');
      return eventsUrl;
    };
    expect(await progressOf(followEventsUrl(eventsUrl, { freshUrl }))).toEqual([100]);
  });

  test.each(['signature_invalid', 'project_suspended'])(
    'that is refused even if it is fresh throws PermissionError (%s)',
    async (code) => {
      const { requests, eventsUrl } = await serve(() => json(403, problem(code)));
      const followed = progressOf(followEventsUrl(eventsUrl, { freshUrl: async () => eventsUrl }));
      await expect(followed).rejects.toBeInstanceOf(PermissionError);
      expect(requests).toHaveLength(code === 'signature_invalid' ? 2 : 1);
    },
  );

  test('that is not a URL throws InvalidRequestError at once', () => {
    expect(() => followEventsUrl('undefined')).toThrow(InvalidRequestError);
  });

  test('that has expired throws PermissionError after one request', async () => {
    const { requests, eventsUrl } = await serve(() => json(403, problem('signature_invalid')));
    await expect(progressOf(followEventsUrl(eventsUrl))).rejects.toBeInstanceOf(PermissionError);
    expect(requests).toHaveLength(1);
  });

  test('stops being followed when the signal is aborted, with its reason', async () => {
    const { eventsUrl } = await serve(() => stream([event('task', taskAt(10))], 'stay'));
    const stop = new AbortController();
    const follow = async () => {
      for await (const _task of followEventsUrl(eventsUrl, { signal: stop.signal })) stop.abort(new Error('enough'));
    };
    await expect(follow()).rejects.toThrow('enough');
  });
});
