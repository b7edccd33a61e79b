import { randomUUID } from 'node:crypto';
import { type ApiResponse, type ErrorBody } from '@kinora/stack/harness/api-client';
import { startImageServer } from '@kinora/stack/harness/image-server';
import { neverRunning } from '@kinora/stack/harness/project-limits';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { clientFor, createKey, ownProject, workerPort } from './own-project.ts';
import { picture } from './sample-pictures.ts';

const { testKey, waitingKey } = inject('world');
const ownPort = workerPort();
const textToVideo = '/v1/videos/text-to-video';
const imageToVideo = '/v1/videos/image-to-video';
const small = { prompt: 'A kite above the sea', ...smallestVideo };

/** Its tasks never start. */
const own = await ownProject('idempotency', neverRunning);
const server = await startImageServer(ownPort);
afterAll(() => server.close());

const named = (key: string) => ({ 'idempotency-key': key });
const isReplayed = ({ headers }: ApiResponse<unknown>) => headers.get('idempotent-replayed') === 'true';
/** Returns the body of a response without the events URL, whose signature is new in every response. */
const withoutSignedUrl = ({ text }: ApiResponse<unknown>) => text.replace(/"events_url":"[^"]+"/, '"events_url":"…"');
const codeOf = ({ status, body }: ApiResponse<ErrorBody>) => `${status} ${body.error?.code}`;

async function refusal(path: string, body: unknown, key: string): Promise<ApiResponse<ErrorBody>> {
  return own.client.post<ErrorBody>(path, body, named(key));
}

describe('the same request under the same key', () => {
  test('the same request under the same key makes one task, and the responses differ only in events_url', async () => {
    const key = randomUUID();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => own.client.post(textToVideo, small, named(key))),
    );
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    expect(new Set(responses.map(withoutSignedUrl)).size).toBe(1);
    expect(responses.filter((response) => !isReplayed(response))).toHaveLength(1);
    expect(responses[0]?.body.events_url).toMatch(/^http/);
  });

  test('a replay returns the task as it was created even after it has completed', async () => {
    const running = clientFor(testKey);
    const key = randomUUID();
    const first = await running.post(textToVideo, small, named(key));
    const { end } = await running.follow(first.body.task_id);
    expect(end.status).toBe('completed');
    const second = await running.post(textToVideo, small, named(key));
    expect(second.body.status).toBe('queued');
    expect([withoutSignedUrl(second), isReplayed(second)]).toEqual([withoutSignedUrl(first), true]);
  });

  test('a request that spells out defaults or writes numbers differently counts as the same request', async () => {
    const key = randomUUID();
    const first = await own.client.post(textToVideo, small, named(key));
    const respelled = { ...small, seed: null, metadata: {}, duration: 1.0 };
    const second = await own.client.post(textToVideo, respelled, named(key));
    expect([second.body.task_id, isReplayed(second)]).toEqual([first.body.task_id, true]);
  });

  test('an OpenAI-compatible create is replayed too', async () => {
    const key = randomUUID();
    const body = { prompt: 'A kite', seconds: '1', size: '480x480' };
    const [one, other] = [
      await own.client.post('/v1/videos', body, named(key)),
      await own.client.post('/v1/videos', body, named(key)),
    ];
    expect(withoutSignedUrl(other)).toBe(withoutSignedUrl(one));
    expect([isReplayed(one), isReplayed(other)]).toEqual([false, true]);
  });

  test('a replay gets 410 after the task was deleted', async () => {
    const key = randomUUID();
    const { body } = await own.client.post(textToVideo, small, named(key));
    expect((await own.client.delete(`/v1/videos/${body.task_id}`)).status).toBe(200);
    expect(codeOf(await refusal(textToVideo, small, key))).toBe('410 task_deleted');
  });
});

describe('the same key', () => {
  test('the same key with another request gets 422 and creates no task', async () => {
    const key = randomUUID();
    await own.client.post(textToVideo, small, named(key));
    const response = await refusal(textToVideo, { ...small, prompt: 'A boat' }, key);
    expect(codeOf(response)).toBe('422 idempotency_key_reused');
    expect(response.headers.get('x-should-retry')).toBe('false');
  });

  test('the same key counts as a different key in another project, mode or route', async () => {
    const key = randomUUID();
    const live = clientFor((await createKey(own.projectId, '--mode', 'live')).key);
    const other = clientFor(waitingKey);
    const responses = [
      await own.client.post(textToVideo, small, named(key)),
      await live.post(textToVideo, small, named(key)),
      await other.post(textToVideo, small, named(key)),
      await own.client.post('/v1/videos', { prompt: small.prompt }, named(key)),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(responses.filter(isReplayed)).toEqual([]);
    expect(new Set(responses.map(({ body }) => body.task_id)).size).toBe(4);
  });
});

test('a key that is not 1 to 255 visible characters is refused', async () => {
  for (const key of ['two words', 'x'.repeat(256)]) {
    const response = await refusal(textToVideo, small, key);
    expect(codeOf(response)).toBe('400 invalid_parameter');
    expect(response.body.error.param).toBe('Idempotency-Key');
  }
});

describe('with an image URL', () => {
  test('a second request gets a retryable 409 while the first one fetches the image, which is fetched only once', async () => {
    const key = randomUUID();
    const image = await picture({ width: 640, height: 480 }, 'png');
    let deliver: () => void = () => undefined;
    const isRequested = new Promise<void>((resolve) => {
      server.serve(`/${key}`, (response) => {
        deliver = () => void response.writeHead(200).end(image);
        resolve();
      });
    });
    const body = { ...small, image_url: server.url(`/${key}`) };
    const first = own.client.post(imageToVideo, body, named(key));
    await isRequested;
    const second = await refusal(imageToVideo, body, key);
    expect(codeOf(second)).toBe('409 idempotency_in_progress');
    expect(second.headers.get('retry-after')).toBe('1');
    expect(second.headers.get('x-should-retry')).toBe('true');
    expect(second.body.error.retryable).toBe(true);
    deliver();
    const created = await first;
    const third = await own.client.post(imageToVideo, body, named(key));
    expect([created.status, isReplayed(third), withoutSignedUrl(third)]).toEqual([
      200,
      true,
      withoutSignedUrl(created),
    ]);
    expect(server.requestedPaths.filter((path) => path === `/${key}`)).toHaveLength(1);
  });

  test('a refused request does not use up its key', async () => {
    const key = randomUUID();
    const body = { ...small, image_url: server.url(`/${key}`) };
    expect(codeOf(await refusal(imageToVideo, body, key))).toBe('400 image_unreachable');
    server.serve(`/${key}`, await picture({ width: 640, height: 480 }, 'png'));
    const response = await own.client.post(imageToVideo, body, named(key));
    expect([response.status, isReplayed(response)]).toEqual([200, false]);
  });
});
