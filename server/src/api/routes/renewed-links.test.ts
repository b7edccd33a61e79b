import { beforeAll, describe, expect, test } from 'vitest';
import type { Task } from '../../domain/task.ts';
import { auth, clock, links, parts, publicUrl, send, task, taskUrl } from '../app.fixture.ts';
import { createApp } from '../app.ts';
import type { PublicTask } from '../schemas/task-schema.ts';

const signedAt = clock.moment.getTime();
const moveTo = (minutes: number): void => {
  clock.moment = new Date(signedAt + minutes * 60_000);
};
/** Opens a signed URL without a key, as any holder of the URL can. */
const open = (url: string | null) => send({ url: (url ?? '').slice(publicUrl.length) });
const taskIn = (body: string): PublicTask => {
  const [, data = ''] = /^data: (.*)$/m.exec(body) ?? [];
  return JSON.parse(data) as PublicTask; // The stream sends what presentTask returns.
};

describe('a signed events_url, which is valid for an hour', () => {
  const statuses = { before: 0, after: 0, renewedEvents: 0, renewedVideo: 0 };
  let eventsUrl: string | null = null;
  let shown: PublicTask;
  beforeAll(async () => {
    ({ eventsUrl } = await links(task));
    moveTo(59);
    const { status, body } = await open(eventsUrl);
    statuses.before = status;
    shown = taskIn(body);
    moveTo(61);
    statuses.after = (await open(eventsUrl)).status;
    statuses.renewedEvents = (await open(shown.events_url)).status;
    statuses.renewedVideo = (await open(shown.video_url)).status;
    moveTo(0);
  });

  test('a signed events_url shows the task for an hour and then nothing', () => {
    expect(statuses).toMatchObject({ before: 200, after: 403 });
  });

  test('the events_url in a stream that a signature opened is the same URL, so it ends when that signature ends', () => {
    expect(shown.events_url).toBe(eventsUrl);
    expect(statuses.renewedEvents).toBe(403);
  });

  test('every link to a file in a stream that a signature opened ends when that signature ends', () => {
    expect(statuses.renewedVideo).toBe(403);
    expect(shown.video?.url_expires_at).toBe(signedAt / 1000 + 3600);
    for (const url of [shown.video_url, shown.video?.thumbnail_url, shown.video?.spritesheet_url]) {
      expect(new URL(url ?? '').searchParams.get('expires')).toBe(String(signedAt / 1000 + 3600));
    }
  });
});

test('a stream that a signature opened shows the video, but no text, metadata, warning or price of the caller', async () => {
  const texts = ['a secret harbour', 'no secret boats', 'customer-42', 'does not know "harbour"', '0.12'];
  const [prompt = '', negativePrompt = '', customer = '', message = '', amount = ''] = texts;
  const told: Task = {
    ...task,
    prompt,
    negativePrompt,
    metadata: { customer },
    warnings: [{ code: 'prompt_not_understood', param: 'prompt', message }],
    price: { amount, currency: 'USD' },
  };
  const view = { task: told, live: null, activeTasks: 1, readsPerMinute: 600 };
  const telling = createApp({ ...parts, readTask: async () => view, readSignedTask: async () => view });
  const { eventsUrl } = await links(told);
  const byKey = (await telling.inject({ url: `${taskUrl}/events`, headers: auth })).body;
  const bySignature = (await telling.inject({ url: (eventsUrl ?? '').slice(publicUrl.length) })).body;
  await telling.close();
  const found = (body: string) => texts.filter((text) => body.includes(JSON.stringify(text).slice(1, -1)));
  expect(found(byKey)).toEqual(texts);
  expect(found(bySignature)).toEqual([]);
  expect(taskIn(bySignature)).toMatchObject({
    status: 'completed',
    prompt: '',
    metadata: {},
    video_url: expect.any(String),
  });
});
