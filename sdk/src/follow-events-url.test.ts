import { describe, expect, test } from 'vitest';
import { followEventsUrl, InvalidRequestError, PermissionError, type Task } from './index.ts';
import {
  type Answer,
  drop,
  event,
  json,
  problem,
  startScriptedServer,
  stream,
  taskAt,
} from './scripted-server.fixture.ts';

async function serve(answer: (count: number, baseUrl: string) => Answer) {
  const server = await startScriptedServer((_asked, count) => answer(count, server.baseUrl));
  return { ...server, eventsUrl: `${server.baseUrl}/v1/videos/task_1/events?signature=1` };
}

async function progressOf(tasks: AsyncIterable<Task>): Promise<number[]> {
  const seen: number[] = [];
  for await (const { progress } of tasks) seen.push(progress);
  return seen;
}

describe.concurrent('a signed events_url', () => {
  test('alone follows a task to its end, over broken connections, and takes the newest signature', async () => {
    const { asked, eventsUrl } = await serve((count, baseUrl) => {
      if (count === 2) return drop;
      const fresh = `${baseUrl}/v1/videos/task_1/events?signature=${count + 1}`;
      return stream([event('task', taskAt(count === 1 ? 10 : 100, { events_url: fresh }))], 'break');
    });
    expect(await progressOf(followEventsUrl(eventsUrl))).toEqual([10, 100]);
    expect(asked.map(({ url }) => url.split('signature=')[1])).toEqual(['1', '2', '2']);
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined, undefined]);
  });

  test('of another address than its own is not taken', async () => {
    const { asked, eventsUrl } = await serve((count) =>
      stream([event('task', taskAt(count === 1 ? 10 : 100, { events_url: 'https://elsewhere.example.com/' }))], 'end'),
    );
    await progressOf(followEventsUrl(eventsUrl));
    expect(asked).toHaveLength(2);
  });

  test('that is none is refused at once', () => {
    expect(() => followEventsUrl('undefined')).toThrow(InvalidRequestError);
  });

  test('that has expired is an error at once', async () => {
    const { asked, eventsUrl } = await serve(() => json(403, problem('signature_invalid')));
    await expect(progressOf(followEventsUrl(eventsUrl))).rejects.toBeInstanceOf(PermissionError);
    expect(asked).toHaveLength(1);
  });

  test('is left by the signal, with its reason', async () => {
    const { eventsUrl } = await serve(() => stream([event('task', taskAt(10))], 'stay'));
    const stop = new AbortController();
    const follow = async () => {
      for await (const _task of followEventsUrl(eventsUrl, { signal: stop.signal })) stop.abort(new Error('enough'));
    };
    await expect(follow()).rejects.toThrow('enough');
  });
});
