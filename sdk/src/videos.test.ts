import { getEventListeners } from 'node:events';
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  type CompletedTask,
  type DeliveredTask,
  type ImageSource,
  Kinora,
  type KinoraEvent,
  type KinoraOptions,
  type ListVideos,
  type Task,
  TaskCancelledError,
  TaskFailedError,
  type TextToVideo,
  type UnfinishedTask,
} from './index.ts';
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

async function serve(handlerFor: (request: ReceivedRequest, count: number) => Handler) {
  const server = await startScriptedServer(handlerFor);
  const paths = () => server.requests.map(({ method, url }) => `${method} ${url.replace('/v1/', '')}`);
  const client = (options: KinoraOptions) => new Kinora({ baseUrl: server.baseUrl, maxRetries: 1, ...options });
  return { ...server, paths, client, kinora: client({ apiKey: 'kin_test_x' }) };
}

const caught = (promise: Promise<unknown>) => promise.catch((thrown: unknown) => thrown);
const reason = new Error('changed my mind');
const cancelled = taskAt(10, { status: 'cancelled', is_final: true });

describe.concurrent('an aborted run', () => {
  test('sends nothing if the signal was aborted before the call', async () => {
    const { kinora, requests } = await serve(() => json(200, taskAt(100)));
    const error = await caught(kinora.videos.run({ prompt: 'a boat' }, { signal: AbortSignal.abort(reason) }));
    expect(error).toBeInstanceOf(TaskCancelledError);
    expect(error).toMatchObject({ task: null, cause: reason });
    expect(requests).toEqual([]);
  });

  test('creates no task if the abort comes during the upload', async () => {
    const stop = new AbortController();
    const { kinora, paths } = await serve(() => {
      stop.abort(reason);
      return silence;
    });
    const image = new Uint8Array([1]);
    const error = await caught(kinora.videos.run({ prompt: 'a boat', image }, { signal: stop.signal }));
    expect(error).toBeInstanceOf(TaskCancelledError);
    expect(error).toMatchObject({ task: null, cause: reason });
    expect(paths()).toEqual(['POST files']);
  });

  test('sends nothing if the abort comes while it fetches a token', async () => {
    const stop = new AbortController();
    const { client, requests } = await serve(() => json(200, taskAt(100)));
    const token = () => {
      stop.abort(reason);
      return 'short-lived';
    };
    const error = await caught(client({ token }).videos.run({ prompt: 'a boat' }, { signal: stop.signal }));
    expect(error).toMatchObject({ name: 'TaskCancelledError', task: null, cause: reason });
    expect(requests).toEqual([]);
  });

  /** Aborts between the first try of the create, which `first` handles, and the second. */
  async function abortedAfter(first: Handler) {
    const stop = new AbortController();
    const { client, paths } = await serve(({ url }, count) => {
      if (count === 1) return first;
      return json(200, url.endsWith('/cancel') ? cancelled : taskAt(0));
    });
    const fetchThenAbort: typeof fetch = (...request) =>
      fetch(...request).finally(() => setTimeout(() => stop.abort(reason)));
    const kinora = client({ apiKey: 'kin_test_x', fetch: fetchThenAbort });
    const error = await caught(kinora.videos.run({ prompt: 'a boat' }, { signal: stop.signal }));
    return { error, paths: paths() };
  }

  test('creates no task if every create so far got status 429', async () => {
    const later = { 'retry-after': '30', 'x-should-retry': 'true' };
    const { error, paths } = await abortedAfter(json(429, problem('rate_limited'), later));
    expect(error).toMatchObject({ name: 'TaskCancelledError', task: null, cause: reason });
    expect(paths).toEqual(['POST videos/text-to-video']);
  });

  test.each<[string, Handler]>([
    ['was lost', drop],
    ['does not say whether a task was created', json(503, problem('overloaded'), { 'x-should-retry': 'true' })],
  ])('finds the task and cancels it if the response to the create %s', async (_name, first) => {
    const { error, paths } = await abortedAfter(first);
    expect(error).toMatchObject({ name: 'TaskCancelledError', task: { status: 'cancelled' }, cause: reason });
    expect(paths).toEqual(['POST videos/text-to-video', 'POST videos/text-to-video', 'POST videos/task_1/cancel']);
  });

  test('does not conclude from a proxy’s page that there is no task to cancel', async () => {
    const stop = new AbortController();
    const { kinora } = await serve((_request, count) => {
      if (count === 1) stop.abort(reason);
      return count === 1 ? silence : (_request, response) => response.writeHead(403).end('<html>');
    });
    const error = await caught(kinora.videos.run({ prompt: 'a boat' }, { signal: stop.signal }));
    expect(error).toMatchObject({ name: 'PermissionError', status: 403 });
  });

  test('finds the task by its idempotency key and cancels it if the abort comes during the create', async () => {
    const stop = new AbortController();
    const { kinora, requests, paths } = await serve((_request, count) => {
      if (count === 1) stop.abort(reason);
      return [silence, json(200, taskAt(0)), json(200, cancelled)][count - 1] ?? silence;
    });
    const error = await caught(kinora.videos.run({ prompt: 'a boat' }, { signal: stop.signal }));
    expect(error).toMatchObject({ name: 'TaskCancelledError', cause: reason, task: { status: 'cancelled' } });
    expect(paths()).toEqual(['POST videos/text-to-video', 'POST videos/text-to-video', 'POST videos/task_1/cancel']);
    expect(requests[1]?.headers['idempotency-key']).toBe(requests[0]?.headers['idempotency-key']);
  });

  test('has no task to cancel if the service rejects the create', async () => {
    const stop = new AbortController();
    const { kinora } = await serve((_request, count) => {
      if (count === 1) stop.abort(reason);
      return count === 1 ? silence : json(400, problem('invalid_parameter'));
    });
    const error = await caught(kinora.videos.run({ prompt: 'a boat' }, { signal: stop.signal }));
    expect(error).toMatchObject({ name: 'TaskCancelledError', task: null });
  });

  /** Aborts at the first progress of the task. `onCancel` and `onGet` handle the requests after that. */
  async function abortedWith(onCancel: Handler, onGet: Handler = silence) {
    const stop = new AbortController();
    const { kinora } = await serve(({ url, method }) => {
      if (url.endsWith('/cancel')) return onCancel;
      if (url.endsWith('/events')) return stream([event('task', taskAt(10))], 'stay');
      return method === 'POST' ? json(200, taskAt(0)) : onGet;
    });
    const onProgress = ({ progress }: Task) => progress === 10 && stop.abort(reason);
    const error = await caught(kinora.videos.run({ prompt: 'a boat' }, { signal: stop.signal, onProgress }));
    return { error, listeners: getEventListeners(stop.signal, 'abort').length };
  }

  test('cancels the task and leaves no listener on the signal', async () => {
    const { error, listeners } = await abortedWith(json(200, cancelled));
    expect(error).toMatchObject({ name: 'TaskCancelledError', cause: reason, task: { status: 'cancelled' } });
    expect(listeners).toBe(0);
  });

  test('returns the final task in the error if it ended before the cancel', async () => {
    const { error } = await abortedWith(json(409, problem('task_not_cancellable')), json(200, taskAt(100)));
    expect(error).toMatchObject({ name: 'TaskCancelledError', task: { status: 'completed' } });
  });

  test('throws TaskCancelledError if the task was deleted before the cancel', async () => {
    const { error } = await abortedWith(json(410, problem('task_deleted')));
    expect(error).toMatchObject({ name: 'TaskCancelledError', task: { progress: 10 } });
  });

  test('throws the service’s error if the task cannot be cancelled', async () => {
    const { error } = await abortedWith(json(403, problem('insufficient_scope')));
    expect(error).toMatchObject({ name: 'PermissionError', code: 'insufficient_scope', task: { progress: 10 } });
  });
});

test('run throws an error with the unfinished task if it can no longer follow it', async () => {
  const { kinora } = await serve((_request, count) => {
    if (count === 1) return json(200, taskAt(0));
    return count === 2 ? stream([event('task', taskAt(10))], 'break') : json(401, problem('api_key_revoked'));
  });
  const error = await caught(kinora.videos.run({ prompt: 'a boat' }));
  expect(error).toMatchObject({ name: 'AuthenticationError', task: { id: 'task_1', progress: 10, is_final: false } });
});

test('run calls onProgress once per change', async () => {
  const { kinora } = await serve(({ method }) =>
    method === 'POST'
      ? json(200, taskAt(0))
      : stream(
          [0, 10, 100].map((at) => event('task', taskAt(at))),
          'end',
        ),
  );
  const seen: number[] = [];
  await kinora.videos.run({ prompt: 'a boat' }, { onProgress: ({ progress }) => seen.push(progress) });
  expect(seen).toEqual([0, 10, 100]);
});

test('run throws TaskFailedError with the error of the task', async () => {
  const failed = { status: 'failed', is_final: true, error: { code: 'engine_lost', message: 'lost', retryable: true } };
  const { kinora } = await serve(() => json(200, taskAt(10, failed)));
  const error = await caught(kinora.videos.run({ prompt: 'a boat' }));
  expect(error).toBeInstanceOf(TaskFailedError);
  expect(error).toMatchObject({ message: 'lost', code: 'engine_lost', isRetryable: true, task: { status: 'failed' } });
});

test('an empty list of statuses is sent, so that the service refuses it instead of returning every task', async () => {
  const { kinora, paths } = await serve(() => json(400, problem('invalid_parameter')));
  await expect(kinora.videos.list({ status: [] })).rejects.toThrow('about invalid_parameter');
  expect(paths()).toEqual(['GET videos?status=']);
});

test('a list is filtered by several statuses and by metadata', async () => {
  const { kinora, paths } = await serve(() => json(200, { data: [], last_id: null, has_more: false }));
  const filter: ListVideos = { status: ['failed', 'cancelled'], metadata: { 'order id': '4&2' } };
  for await (const task of kinora.videos.list(filter)) expect.unreachable(task.id);
  expect(paths()).toEqual(['GET videos?status=failed%2Ccancelled&metadata%5Border+id%5D=4%262']);
});

test('an image of a wrong type is rejected before anything is sent', async () => {
  const { kinora, requests } = await serve(() => json(200, taskAt(100)));
  const image = 7 as unknown as ImageSource; // a JavaScript caller could pass this
  await expect(kinora.videos.imageToVideo({ prompt: 'x', image })).rejects.toThrow(/image must be bytes/);
  expect(requests).toEqual([]);
});

test('a request with image_url is rejected before anything is sent, because its image would be ignored', async () => {
  const { kinora, requests } = await serve(() => json(200, taskAt(100)));
  // A JavaScript caller could pass the field of the HTTP API.
  const request = { prompt: 'x', image_url: 'https://example.com/a.png' } as unknown as TextToVideo;
  for (const call of ['run', 'textToVideo', 'estimate'] as const) {
    await expect(kinora.videos[call](request)).rejects.toThrow('Pass the image as `image`');
  }
  expect(requests).toEqual([]);
});

describe('wait', () => {
  test('follows a task to its end and returns it with its video', async () => {
    const { kinora, paths } = await serve(() => stream([event('task', taskAt(10)), event('task', taskAt(100))], 'end'));
    const seen: number[] = [];
    const task = await kinora.videos.wait({ id: 'task_1' }, { onProgress: ({ progress }) => seen.push(progress) });
    expect(task).toMatchObject({ status: 'completed', video_url: expect.stringMatching(/^https/) });
    expect(seen).toEqual([10, 100]);
    expect(paths()).toEqual(['GET videos/task_1/events']);
  });

  test.each([
    ['failed', TaskFailedError, { error: { code: 'engine_lost', message: 'lost', retryable: true } }],
    ['cancelled', TaskCancelledError, { error: null }],
  ])('throws if the task %s', async (status, expected, extra) => {
    const ended = taskAt(10, { status, is_final: true, ...extra });
    const { kinora } = await serve(() => stream([event('task', ended)], 'end'));
    const error = await caught(kinora.videos.wait('task_1'));
    expect(error).toBeInstanceOf(expected);
    expect(error).toMatchObject({ task: { status } });
  });

  test('stops waiting at an abort and leaves the task alone', async () => {
    const stop = new AbortController();
    const { kinora, paths } = await serve(() => stream([event('task', taskAt(10))], 'stay'));
    const onProgress = () => stop.abort(reason);
    expect(await caught(kinora.videos.wait('task_1', { signal: stop.signal, onProgress }))).toBe(reason);
    expect(paths()).toEqual(['GET videos/task_1/events']);
  });

  test('throws GoneError with the task if the files of the video have expired', async () => {
    const { kinora } = await serve(() => stream([event('task', taskAt(100, { video_url: null }))], 'end'));
    const error = await caught(kinora.videos.wait('task_1'));
    expect(error).toMatchObject({ name: 'GoneError', task: { status: 'completed' } });
  });
});

test('types know from its status what a task has', () => {
  const { videos } = new Kinora({ apiKey: 'kin_test_x', baseUrl: 'http://127.0.0.1' });
  // These functions are never called: it is enough that they compile.
  const urlOfRun = async (): Promise<string> => (await videos.run({ prompt: 'a boat' })).video.url;
  const urlOfWait = async (): Promise<string> => (await videos.wait('task_1')).video_url;
  const describeTask = (task: Task): string | null => {
    if (task.status === 'completed') return task.video.url;
    if (task.status === 'failed') return task.error.message;
    // @ts-expect-error: a task without a video has no URL
    if (task.status === 'queued') return task.video.url;
    return null;
  };
  const eventUrl = ({ data }: KinoraEvent) =>
    'deleted' in data || data.status !== 'completed' ? null : data.video.url;
  expectTypeOf<typeof videos.run>().returns.resolves.toExtend<CompletedTask>();
  expectTypeOf<Extract<Task, { is_final: false }>>().toEqualTypeOf<UnfinishedTask>();
  expect([urlOfRun, urlOfWait, describeTask, eventUrl]).toHaveLength(4);
});

test('types allow only what the service accepts', () => {
  const { videos } = new Kinora({ apiKey: 'kin_test_x', baseUrl: 'http://127.0.0.1' });
  expectTypeOf<typeof videos.run>().returns.resolves.toEqualTypeOf<DeliveredTask>();
  expectTypeOf<Task['status']>().toEqualTypeOf<'queued' | 'in_progress' | 'completed' | 'failed' | 'cancelled'>();
  type Request = Parameters<typeof videos.textToVideo>[0];
  // @ts-expect-error: a prompt is required
  const withoutPrompt: Request = { duration: 5 };
  // @ts-expect-error: 8k is not a resolution
  const withoutResolution: Request = { prompt: 'a boat', resolution: '8k' };
  // @ts-expect-error: an image is bytes, a URL or an id, not a number
  const withoutImage: Parameters<typeof videos.imageToVideo>[0] = { prompt: 'a boat', image: 7 };
  // @ts-expect-error: the client takes every image as `image`
  const withImageUrl: Parameters<typeof videos.run>[0] = { prompt: 'a boat', image_url: 'https://example.com/a.png' };
  expect([withoutPrompt, withoutResolution, withoutImage, withImageUrl]).toHaveLength(4);
});
