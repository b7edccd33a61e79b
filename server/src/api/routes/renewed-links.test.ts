import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { app, clock, links, publicUrl, send, task } from '../app.fixture.ts';

afterAll(() => app.close());

const signedAt = clock.moment.getTime();
const moveTo = (minutes: number): void => {
  clock.moment = new Date(signedAt + minutes * 60_000);
};
/** Opens a signed URL without a key, as any holder of the URL can. */
const open = (url: string | null) => send({ url: (url ?? '').slice(publicUrl.length) });

describe('a signed events_url, which is valid for an hour', () => {
  const statuses = { before: 0, after: 0, renewedEvents: 0, renewedVideo: 0 };
  beforeAll(async () => {
    const { eventsUrl } = await links(task);
    moveTo(59);
    const { status, body } = await open(eventsUrl);
    statuses.before = status;
    const [, data = ''] = /^data: (.*)$/m.exec(body) ?? [];
    const shown = JSON.parse(data) as { events_url: string | null; video_url: string | null };
    moveTo(61);
    statuses.after = (await open(eventsUrl)).status;
    statuses.renewedEvents = (await open(shown.events_url)).status;
    statuses.renewedVideo = (await open(shown.video_url)).status;
  });

  test('a signed events_url shows the task for an hour and then nothing', () => {
    expect(statuses).toMatchObject({ before: 200, after: 403 });
  });

  test.fails('the events_url in a stream that a signature opened ends when that signature ends (security review, M1)', () => {
    expect(statuses.renewedEvents).toBe(403);
  });

  test.fails('the video_url in a stream that a signature opened ends when that signature ends (security review, M1)', () => {
    expect(statuses.renewedVideo).toBe(403);
  });
});
