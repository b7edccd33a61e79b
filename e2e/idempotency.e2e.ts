import { randomUUID } from 'node:crypto';
import { type ApiResponse, type ErrorBody } from '@kinora/stack/harness/api-client';
import { startImageServer } from '@kinora/stack/harness/image-server';
import { neverRunning } from '@kinora/stack/harness/project-limits';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { clientFor, createKey, imagePort, ownProject } from './own-project.ts';
import { picture } from './sample-pictures.ts';

const { testKey, waitingKey } = inject('world');
const lanePort = imagePort();
const textToVideo = '/v1/videos/text-to-video';
const imageToVideo = '/v1/videos/image-to-video';
const small = { prompt: 'A kite above the sea', ...smallestVideo };

/** Its tasks wait for ever. */
const own = await ownProject('idempotency', neverRunning);
const server = await startImageServer(lanePort);
afterAll(() => server.close());

const named = (key: string) => ({ 'idempotency-key': key });
const isReplayed = ({ headers }: ApiResponse<unknown>) => headers.get('idempotent-replayed') === 'true';
/** All of an answer but the URL that is signed anew every time. */
const withoutSignedUrl = ({ text }: ApiResponse<unknown>) => text.replace(/"events_url":"[^"]+"/, '"events_url":"…"');
const codeOf = ({ status, body }: ApiResponse<ErrorBody>) => `${status} ${body.error?.code}`;

async function refusal(path: string, body: unknown, key: string): Promise<ApiResponse<ErrorBody>> {
  return own.client.post<ErrorBody>(path, body, named(key));
}

describe('the same request under the same key', () => {
  test('makes one task, and answers byte for byte the same but for events_url', async () => {
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => own.client.post(textToVideo, small, named(key))),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(withoutSignedUrl)).size).toBe(1);
    expect(answers.filter((answer) => !isReplayed(answer))).toHaveLength(1);
    expect(answers[0]?.body.events_url).toMatch(/^http/);
  });

  test('is the creation answer also after the task has gone on', async () => {
    const running = clientFor(testKey);
    const key = randomUUID();
    const first = await running.post(textToVideo, small, named(key));
    const { end } = await running.follow(first.body.task_id);
    expect(end.status).toBe('completed');
    const again = await running.post(textToVideo, small, named(key));
    expect(again.body.status).toBe('queued');
    expect([withoutSignedUrl(again), isReplayed(again)]).toEqual([withoutSignedUrl(first), true]);
  });

  test('may be written in another way', async () => {
    const key = randomUUID();
    const first = await own.client.post(textToVideo, small, named(key));
    const again = await own.client.post(textToVideo, { ...small, seed: null, metadata: {}, duration: 1.0 }, named(key));
    expect([again.body.task_id, isReplayed(again)]).toEqual([first.body.task_id, true]);
  });

  test('an OpenAI-compatible create is replayed as well', async () => {
    const key = randomUUID();
    const body = { prompt: 'A kite', seconds: '1', size: '480x480' };
    const [one, other] = [
      await own.client.post('/v1/videos', body, named(key)),
      await own.client.post('/v1/videos', body, named(key)),
    ];
    expect(withoutSignedUrl(other)).toBe(withoutSignedUrl(one));
    expect([isReplayed(one), isReplayed(other)]).toEqual([false, true]);
  });

  test('after the task was deleted is 410', async () => {
    const key = randomUUID();
    const { body } = await own.client.post(textToVideo, small, named(key));
    expect((await own.client.delete(`/v1/videos/${body.task_id}`)).status).toBe(200);
    expect(codeOf(await refusal(textToVideo, small, key))).toBe('410 task_deleted');
  });
});

describe('the same key for another', () => {
  test('request is 422 and makes nothing', async () => {
    const key = randomUUID();
    await own.client.post(textToVideo, small, named(key));
    const answer = await refusal(textToVideo, { ...small, prompt: 'A boat' }, key);
    expect(codeOf(answer)).toBe('422 idempotency_key_reused');
    expect(answer.headers.get('x-should-retry')).toBe('false');
  });

  test('project, mode or route is another key', async () => {
    const key = randomUUID();
    const live = clientFor((await createKey(own.projectId, '--mode', 'live')).key);
    const other = clientFor(waitingKey);
    const answers = [
      await own.client.post(textToVideo, small, named(key)),
      await live.post(textToVideo, small, named(key)),
      await other.post(textToVideo, small, named(key)),
      await own.client.post('/v1/videos', { prompt: small.prompt }, named(key)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.filter(isReplayed)).toEqual([]);
    expect(new Set(answers.map(({ body }) => body.task_id)).size).toBe(4);
  });
});

test('a key that is not 1 to 255 visible characters is refused', async () => {
  for (const key of ['two words', 'x'.repeat(256)]) {
    const answer = await refusal(textToVideo, small, key);
    expect(codeOf(answer)).toBe('400 invalid_parameter');
    expect(answer.body.error.param).toBe('Idempotency-Key');
  }
});

describe('with an image', () => {
  test('a second request is told to come back while the first fetches it; it is fetched once', async () => {
    const key = randomUUID();
    const image = await picture({ width: 640, height: 480 }, 'png');
    let deliver: () => void = () => undefined;
    const isAsked = new Promise<void>((asked) => {
      server.serve(`/${key}`, (response) => {
        deliver = () => void response.writeHead(200).end(image);
        asked();
      });
    });
    const body = { ...small, image_url: server.url(`/${key}`) };
    const first = own.client.post(imageToVideo, body, named(key));
    await isAsked;
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
    expect(server.asked.filter((path) => path === `/${key}`)).toHaveLength(1);
  });

  test('what was refused is not remembered: the same key may be used again at once', async () => {
    const key = randomUUID();
    const body = { ...small, image_url: server.url(`/${key}`) };
    expect(codeOf(await refusal(imageToVideo, body, key))).toBe('400 image_unreachable');
    server.serve(`/${key}`, await picture({ width: 640, height: 480 }, 'png'));
    const answer = await own.client.post(imageToVideo, body, named(key));
    expect([answer.status, isReplayed(answer)]).toEqual([200, false]);
  });
});
