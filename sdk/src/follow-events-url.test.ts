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
  test('is enough to follow a task to its end over broken connections, and the newest signature is used', async () => {
    const { requests, eventsUrl } = await serve((count, baseUrl) => {
      if (count === 2) return drop;
      const fresh = `${baseUrl}/v1/videos/task_1/events?signature=${count + 1}`;
      return stream([event('task', taskAt(count === 1 ? 10 : 100, { events_url: fresh }))], 'break');
    });
    expect(await progressOf(followEventsUrl(eventsUrl))).toEqual([10, 100]);
    expect(requests.map(({ url }) => url.split('signature=')[1])).toEqual(['1', '2', '2']);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined, undefined]);
  });

  test('is not replaced by one with another address', async () => {
    const { requests, eventsUrl } = await serve((count) =>
      stream([event('task', taskAt(count === 1 ? 10 : 100, { events_url: 'https://elsewhere.example.com/' }))], 'end'),
    );
    await progressOf(followEventsUrl(eventsUrl));
    expect(requests).toHaveLength(2);
  });

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
