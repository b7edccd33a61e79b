import { afterAll, describe, expect, it } from 'vitest';
import { app, auth, bytes, clock, events, links, publicUrl, send, task } from '../app-for-tests.ts';

afterAll(() => app.close());

const local = (url: string) => url.slice(publicUrl.length);

describe('a signed URL', async () => {
  const { videoUrl, thumbnailUrl, spritesheetUrl } = (await links(task)) ?? expect.fail('the task has no links');
  const get = (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' | 'OPTIONS' = 'GET') =>
    send({ method, url: local(videoUrl), headers });

  it('delivers the whole file without a key, to any page', async () => {
    const { status, headers, rawPayload } = await get();
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': '1000',
      'accept-ranges': 'bytes',
      etag: '"abcdef"',
      'content-disposition': `inline; filename="${task.id}.mp4"`,
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': expect.stringContaining('private'),
      'x-content-type-options': 'nosniff',
    });
    expect(rawPayload.equals(bytes)).toBe(true);
  });

  it('delivers parts', async () => {
    const { status, headers, rawPayload } = await get({ range: 'bytes=990-' });
    expect([status, headers['content-range'], headers['content-length']]).toEqual([206, 'bytes 990-999/1000', '10']);
    expect(rawPayload.equals(bytes.subarray(990))).toBe(true);
    expect((await get({ range: 'bytes=0-3', 'if-range': '"abcdef"' })).status).toBe(206);
    expect((await get({ range: 'bytes=0-3', 'if-range': '"other"' })).status).toBe(200);
    expect((await get({ range: 'bytes=0-3,5-6' })).status).toBe(200);
    const outside = await get({ range: 'bytes=1000-' });
    expect([outside.status, outside.headers['content-range'], outside.json.error.code]).toEqual([
      416,
      'bytes */1000',
      'range_not_satisfiable',
    ]);
    expect((await get({ 'if-none-match': '"abcdef"' })).status).toBe(304);
  });

  it('answers HEAD without opening the file, and the question a browser asks first', async () => {
    events.length = 0;
    const head = await get({ range: 'bytes=0-1' }, 'HEAD');
    expect([head.status, head.headers['content-length'], head.body]).toEqual([200, '1000', '']);
    expect(events).not.toContain('opened');
    const preflight = await get({ origin: 'https://page.example', 'access-control-request-method': 'GET' }, 'OPTIONS');
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, '*']);
    expect(preflight.headers['access-control-allow-headers']).toContain('range');
  });

  it('opens nothing but what it was signed for, and not for ever', async () => {
    const other = videoUrl.replace('variant=video', 'variant=thumbnail');
    for (const url of [
      other,
      `${videoUrl}x`,
      `${videoUrl}&variant=video`,
      videoUrl.replace(task.id, 'task_x'),
      videoUrl.split('?')[0] ?? '',
    ]) {
      expect(await send({ url: local(url), headers: auth })).toMatchObject({
        status: 403,
        json: { error: { code: 'signature_invalid' } },
      });
    }
    const before = clock.now();
    clock.moment = new Date(before.getTime() + 3_600_000);
    expect((await get()).status).toBe(403);
    clock.moment = before;
  });

  it('is 410 once the files are gone, and a plain error when the store breaks off at once', async () => {
    expect(await send({ url: local(spritesheetUrl) })).toMatchObject({
      status: 410,
      json: { error: { code: 'video_expired' } },
    });
    const broken = await send({ url: local(thumbnailUrl) });
    expect(broken).toMatchObject({ status: 500, json: { error: { code: 'internal_error' } } });
  });
});
