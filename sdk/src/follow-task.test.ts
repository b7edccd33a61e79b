import { once } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { ConnectionError, GoneError, Kinora, type Task } from './index.ts';
import {
  drop,
  event,
  type Handler,
  json,
  problem,
  type ReceivedRequest,
  silence,
  startScriptedServer,
  stream,
  taskAt,
} from './scripted-server.fixture.ts';

/**
 * How the network treats each of the three transports. `count` is the number of requests over that transport, from 1.
 */
interface Network {
  events: (count: number) => Handler;
  waiting?: (count: number) => Handler;
  plain?: (count: number) => Handler;
}

type Transport = keyof Network;

function transportOf({ url }: Pick<ReceivedRequest, 'url'>): Transport {
  if (url.endsWith('/events')) return 'events';
  return url.includes('wait=') ? 'waiting' : 'plain';
}

interface Options {
  maxRetries?: number;
  /** Ends only requests for event streams, so that the others may take as long as a busy machine needs. */
  streamLimitMilliseconds?: number;
}

async function startNetwork(network: Network, { maxRetries = 1, streamLimitMilliseconds }: Options = {}) {
  const newCounts = (): Record<Transport, number> => ({ events: 0, waiting: 0, plain: 0 });
  const received = newCounts();
  const server = await startScriptedServer((request) => {
    const transport = transportOf(request);
    received[transport] += 1;
    return network[transport]?.(received[transport]) ?? json(500, problem('unexpected'));
  });
  // Counts what is sent: a request that runs into its limit may never be received.
  const counts = newCounts();
  const countedFetch: typeof fetch = (input, { signal, ...init } = {}) => {
    const transport = transportOf(new Request(input));
    counts[transport] += 1;
    const isUnlimited = streamLimitMilliseconds !== undefined && transport !== 'events';
    return fetch(input, isUnlimited || !signal ? init : { ...init, signal });
  };
  const kinora = new Kinora({
    apiKey: 'kin_test_x',
    baseUrl: server.baseUrl,
    maxRetries,
    fetch: countedFetch,
    ...(streamLimitMilliseconds && { timeoutMilliseconds: streamLimitMilliseconds }),
  });
  return { ...server, kinora, counts };
}

async function progressOf(tasks: AsyncIterable<Task>): Promise<number[]> {
  const seen: number[] = [];
  for await (const { progress } of tasks) seen.push(progress);
  return seen;
}

const taskEvent = (progress: number) => event('task', taskAt(progress), String(progress));
const page: Handler = (_request, response) => response.writeHead(403, { 'content-type': 'text/html' }).end('<html>');
const steps = (...progress: number[]) => {
  return (count: number) => json(200, taskAt(progress[count - 1] ?? progress.at(-1) ?? 0));
};

describe.concurrent('following a task to its end', () => {
  test('uses events and reconnects whenever the connection breaks', async () => {
    const progress = [10, 20, 30, 40];
    const { kinora, counts } = await startNetwork({
      events: (count) => stream([taskEvent(progress[count - 1] ?? 100)], count % 2 ? 'break' : 'end'),
    });
    expect(await progressOf(kinora.videos.follow('task_1'))).toEqual([10, 20, 30, 40, 100]);
    expect(counts).toEqual({ events: 5, waiting: 0, plain: 0 });
  });

  test.each<[string, Handler, Options?]>([
    ['rejects event streams', page],
    ['cuts event streams', drop],
    ['replaces event streams with another response', json(200, {})],
    ['responds to event streams with no content', (_request, response) => response.writeHead(204).end()],
    ['ends event streams before the first event', stream([], 'end')],
    [
      'buffers event streams',
      (_request, response) => response.writeHead(200, eventStream).flushHeaders(),
      { streamLimitMilliseconds: 300 },
    ],
    ['never responds to event streams', silence, { streamLimitMilliseconds: 300 }],
  ])('falls back to long polling if a proxy %s', async (_name, handler, options) => {
    const { kinora, counts } = await startNetwork({ events: () => handler, waiting: steps(10, 60, 100) }, options);
    expect(await progressOf(kinora.videos.follow('task_1'))).toEqual([10, 60, 100]);
    expect(counts).toEqual({ events: 2, waiting: 3, plain: 0 });
  });

  test.each<[string, Handler]>([
    ['cuts long requests', drop],
    ['times out long requests', (_request, response) => response.writeHead(504).end('<html>')],
  ])('falls back to plain polling if a proxy %s', async (_name, handler) => {
    const { kinora, counts } = await startNetwork({
      events: () => handler,
      waiting: () => handler,
      plain: (count) => (count === 2 ? drop : steps(10, 10, 60, 100)(count)),
    });
    expect(await progressOf(kinora.videos.follow('task_1'))).toEqual([10, 60, 100]);
    expect(counts).toEqual({ events: 2, waiting: 2, plain: 4 });
  });

  test('switches from events to long polling in the middle if the network changes', async () => {
    const { kinora } = await startNetwork({
      events: (count) => (count === 1 ? stream([taskEvent(10), taskEvent(20)], 'break') : drop),
      waiting: steps(30, 100),
    });
    expect(await progressOf(kinora.videos.follow('task_1'))).toEqual([10, 20, 30, 100]);
  });
});

const eventStream = { 'content-type': 'text/event-stream' };

describe.concurrent('following a task', () => {
  test('yields each change once, although some fields differ on every read', async () => {
    let reads = 0;
    const read = () => json(200, taskAt(++reads < 4 ? 10 : 100, { events_url: `https://x/?signature=${reads}` }));
    const { kinora } = await startNetwork({ events: () => page, waiting: () => page, plain: read });
    expect(await progressOf(kinora.videos.follow('task_1'))).toEqual([10, 100]);
  });

  test('pauses between long polls that return too early', async ({ onTestFinished }) => {
    const hour = 3_600_000;
    const order: string[] = [];
    const start = globalThis.setTimeout;
    const skipHours = vi.spyOn(globalThis, 'setTimeout').mockImplementation((run, milliseconds, ...rest) => {
      if (milliseconds === hour) order.push('pause');
      return start(run, milliseconds === hour ? 0 : milliseconds, ...rest);
    });
    onTestFinished(() => skipHours.mockRestore());
    const { kinora } = await startNetwork({
      events: () => page,
      waiting: (count) => {
        order.push('poll');
        return json(200, taskAt(count === 3 ? 100 : 10, { poll_after_ms: hour }));
      },
    });
    await progressOf(kinora.videos.follow('task_1'));
    expect(order).toEqual(['poll', 'pause', 'poll', 'pause', 'poll']);
  });

  test('throws GoneError at once if the task was deleted', async () => {
    const { kinora, counts } = await startNetwork({
      events: (count) => (count === 1 ? stream([taskEvent(10)], 'end') : json(410, problem('task_deleted'))),
    });
    const error = await progressOf(kinora.videos.follow('task_1')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GoneError);
    expect(error).toMatchObject({ code: 'task_deleted', requestId: 'req_1' });
    expect(counts.waiting).toBe(0);
  });

  test.each([0, 1])('throws instead of ending early if no transport works, with %i retries', async (maxRetries) => {
    const { kinora } = await startNetwork(
      { events: () => drop, waiting: () => drop, plain: () => drop },
      { maxRetries },
    );
    await expect(progressOf(kinora.videos.follow('task_1'))).rejects.toBeInstanceOf(ConnectionError);
  });

  test('closes the connection if the caller leaves the loop', async () => {
    let closed: Promise<unknown> | undefined;
    const { kinora } = await startNetwork({
      events: () => (request, response) => {
        closed = once(request.socket, 'close');
        stream([taskEvent(10)], 'stay')(request, response);
      },
    });
    for await (const { progress } of kinora.videos.follow('task_1')) {
      expect(progress).toBe(10);
      break;
    }
    await closed;
  });

  test('closes the connection if the signal is aborted, and throws its reason', async () => {
    let closed: Promise<unknown> | undefined;
    const { kinora } = await startNetwork({
      events: () => (request, response) => {
        closed = once(request.socket, 'close');
        stream([taskEvent(10)], 'stay')(request, response);
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
