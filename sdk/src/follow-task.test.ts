import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { ConnectionError, GoneError, Kinora, type Task } from './index.ts';
import {
  type Answer,
  type Asked,
  drop,
  event,
  json,
  problem,
  silence,
  startScriptedServer,
  stream,
  taskAt,
} from './scripted-server.fixture.ts';

/** How the network treats each of the three transports; each is asked with how often it was taken already. */
interface Network {
  events: (count: number) => Answer;
  waiting?: (count: number) => Answer;
  plain?: (count: number) => Answer;
}

type Transport = keyof Network;

function transportOf({ url }: Asked): Transport {
  if (url.endsWith('/events')) return 'events';
  return url.includes('wait=') ? 'waiting' : 'plain';
}

async function startNetwork(network: Network, options: { maxRetries?: number; timeoutMilliseconds?: number } = {}) {
  const counts: Record<Transport, number> = { events: 0, waiting: 0, plain: 0 };
  const server = await startScriptedServer((asked) => {
    const transport = transportOf(asked);
    counts[transport] += 1;
    return network[transport]?.(counts[transport]) ?? json(500, problem('unexpected'));
  });
  const kinora = new Kinora({ apiKey: 'kin_test_x', baseUrl: server.baseUrl, maxRetries: 1, ...options });
  return { ...server, kinora, counts };
}

async function progressOf(tasks: AsyncIterable<Task>): Promise<number[]> {
  const seen: number[] = [];
  for await (const { progress } of tasks) seen.push(progress);
  return seen;
}

const fingerprint = (progress: number) => event('task', taskAt(progress), String(progress));
const page: Answer = (_request, response) => response.writeHead(403, { 'content-type': 'text/html' }).end('<html>');
const steps = (...progress: number[]) => {
  return (count: number) => json(200, taskAt(progress[count - 1] ?? progress.at(-1) ?? 0));
};

describe.concurrent('a task is followed to its end', () => {
  test('by events, over connections that break again and again', async () => {
    const progress = [10, 20, 30, 40];
    const { kinora, counts } = await startNetwork({
      events: (count) => stream([fingerprint(progress[count - 1] ?? 100)], count % 2 ? 'break' : 'end'),
    });
    expect(await progressOf(kinora.videos.follow('task_1'))).toEqual([10, 20, 30, 40, 100]);
    expect(counts).toEqual({ events: 5, waiting: 0, plain: 0 });
  });

  test.each<[string, Answer]>([
    ['refuses event streams', page],
    ['cuts event streams', drop],
    ['makes something else of event streams', json(200, {})],
    ['has no words left for event streams', (_request, response) => response.writeHead(204).end()],
    ['ends event streams before they say anything', stream([], 'end')],
    ['holds event streams back', (_request, response) => response.writeHead(200, eventStream).flushHeaders()],
    ['never answers event streams', silence],
  ])('by reads that wait, where a proxy %s', async (_name, answer) => {
    const { kinora, counts } = await startNetwork(
      { events: () => answer, waiting: steps(10, 60, 100) },
      { timeoutMilliseconds: 300 },
    );
    expect(await progressOf(kinora.videos.follow('task_1'))).toEqual([10, 60, 100]);
    expect(counts).toEqual({ events: 2, waiting: 3, plain: 0 });
  });

  test.each<[string, Answer]>([
    ['cuts what lasts', drop],
    ['answers for what lasts', (_request, response) => response.writeHead(504).end('<html>')],
  ])('by plain reads, where a proxy %s', async (_name, answer) => {
    const { kinora, counts } = await startNetwork({
      events: () => answer,
      waiting: () => answer,
      plain: (count) => (count === 2 ? drop : steps(10, 10, 60, 100)(count)),
    });
    expect(await progressOf(kinora.videos.follow('task_1'))).toEqual([10, 60, 100]);
    expect(counts).toEqual({ events: 2, waiting: 2, plain: 4 });
  });

  test('from events to waiting in the middle, when the network changes', async () => {
    const { kinora } = await startNetwork({
      events: (count) => (count === 1 ? stream([fingerprint(10), fingerprint(20)], 'break') : drop),
      waiting: steps(30, 100),
    });
    expect(await progressOf(kinora.videos.follow('task_1'))).toEqual([10, 20, 30, 100]);
  });
});

const eventStream = { 'content-type': 'text/event-stream' };

describe.concurrent('whoever follows a task', () => {
  test('is told of a change once, although some fields are new at every read', async () => {
    let reads = 0;
    const read = () => json(200, taskAt(++reads < 4 ? 10 : 100, { events_url: `https://x/?signature=${reads}` }));
    const { kinora } = await startNetwork({ events: () => page, waiting: () => page, plain: read });
    expect(await progressOf(kinora.videos.follow('task_1'))).toEqual([10, 100]);
  });

  test('does not ask without a pause what should wait and does not', async () => {
    const patient = { poll_after_ms: 300 };
    const { kinora, asked } = await startNetwork({
      events: () => page,
      waiting: (count) => json(200, taskAt(count === 3 ? 100 : 10, patient)),
    });
    await progressOf(kinora.videos.follow('task_1'));
    const times = asked.filter((one) => transportOf(one) === 'waiting').map(({ atMilliseconds }) => atMilliseconds);
    for (const [index, time] of times.slice(1).entries()) expect(time - (times[index] ?? 0)).toBeGreaterThan(290);
  });

  test('is told at once that it was deleted', async () => {
    const { kinora, counts } = await startNetwork({
      events: (count) => (count === 1 ? stream([fingerprint(10)], 'end') : json(410, problem('task_deleted'))),
    });
    const error = await progressOf(kinora.videos.follow('task_1')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GoneError);
    expect(error).toMatchObject({ code: 'task_deleted', requestId: 'req_1' });
    expect(counts.waiting).toBe(0);
  });

  test.each([0, 1])('gets an error and no unfinished end where nothing works, with %i retries', async (maxRetries) => {
    const { kinora } = await startNetwork(
      { events: () => drop, waiting: () => drop, plain: () => drop },
      { maxRetries },
    );
    await expect(progressOf(kinora.videos.follow('task_1'))).rejects.toBeInstanceOf(ConnectionError);
  });

  test('closes the connection by looking away', async () => {
    let closed: Promise<unknown> | undefined;
    const { kinora } = await startNetwork({
      events: () => (request, response) => {
        closed = once(request.socket, 'close');
        stream([fingerprint(10)], 'stay')(request, response);
      },
    });
    for await (const { progress } of kinora.videos.follow('task_1')) {
      expect(progress).toBe(10);
      break;
    }
    await closed;
  });

  test('closes the connection by the signal, and gets its reason', async () => {
    let closed: Promise<unknown> | undefined;
    const { kinora } = await startNetwork({
      events: () => (request, response) => {
        closed = once(request.socket, 'close');
        stream([fingerprint(10)], 'stay')(request, response);
      },
    });
    const stop = new AbortController();
    const follow = async () => {
      for await (const _task of kinora.videos.follow('task_1', { signal: stop.signal }))
        stop.abort(new Error('enough'));
    };
    await expect(follow()).rejects.toThrow('enough');
    await closed;
  });
});
