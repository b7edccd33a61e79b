import { describe, expect, it } from 'vitest';
import { auth, bytes, clock, events, links, publicUrl, send, task, taskUrl } from '../app.fixture.ts';

const local = (url: string) => url.slice(publicUrl.length);

describe('a signed URL of a file', async () => {
  const { videoUrl, thumbnailUrl, spritesheetUrl } = (await links(task)).files ?? expect.fail('the task has no links');
  const get = (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' | 'OPTIONS' = 'GET') =>
    send({ method, url: local(videoUrl), headers });

  it('serves the whole file without a key, to pages of any origin', async () => {
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

  it('serves parts of the file', async () => {
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

  it('responds to HEAD without opening the file, and to a preflight', async () => {
    events.length = 0;
    const head = await get({ range: 'bytes=0-1' }, 'HEAD');
    expect([head.status, head.headers['content-length'], head.body]).toEqual([200, '1000', '']);
    expect(events).not.toContain('opened');
    const preflight = await get({ origin: 'https://page.example', 'access-control-request-method': 'GET' }, 'OPTIONS');
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, '*']);
    expect(preflight.headers['access-control-allow-headers']).toContain('range');
  });

  it('opens only the file that it was signed for, and only until it expires', async () => {
    const other = videoUrl.replace('variant=video', 'variant=thumbnail');
    for (const url of [
      other,
      `${videoUrl}x`,
      `${videoUrl}&variant=video`,
      videoUrl.replace(task.id, 'task_x'),
      videoUrl.replace(/expires=\d+/, 'expires=9999999999'),
      videoUrl.replace(/signature=.*/, 'signature='),
    ]) {
      expect(await send({ url: local(url), headers: auth })).toMatchObject({
        status: 403,
        json: { error: { code: 'signature_invalid' } },
      });
    }
    const now = clock.now();
    clock.moment = new Date(now.getTime() - 3_600_000);
    const { files } = await links(task);
    clock.moment = now;
    expect((await send({ url: local(files?.videoUrl ?? '') })).status).toBe(403);
  });

  it('gets 410 once the files are deleted, and 500 if the store fails before the first byte', async () => {
    expect(await send({ url: local(spritesheetUrl) })).toMatchObject({
      status: 410,
      json: { error: { code: 'video_expired' } },
    });
    const broken = await send({ url: local(thumbnailUrl) });
    expect(broken).toMatchObject({ status: 500, json: { error: { code: 'internal_error' } } });
  });
});

describe('/content with an API key', () => {
  const content = (query = '', headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    send({ method, url: `${taskUrl}/content${query}`, headers: { ...auth, ...headers } });

  it('serves the video by default, whatever Accept says, and not to pages of other origins', async () => {
    const { status, headers, rawPayload } = await content('', {
      accept: 'application/binary',
      origin: 'https://x.example',
    });
    expect([status, rawPayload.equals(bytes)]).toEqual([200, true]);
    expect(headers).toMatchObject({ etag: '"abcdef"', 'cache-control': 'private, no-cache' });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('serves parts of the file, and responds to HEAD', async () => {
    const part = await content('?variant=video', { range: 'bytes=0-9' });
    expect([part.status, part.headers['content-range']]).toEqual([206, 'bytes 0-9/1000']);
    expect((await content('', { range: 'bytes=0-9', 'if-range': '"other"' })).status).toBe(200);
    expect((await content('', { 'if-none-match': '"abcdef"' })).status).toBe(304);
    const head = await content('', {}, 'HEAD');
    expect([head.status, head.headers['content-length'], head.body]).toEqual([200, '1000', '']);
  });

  it('requires a key and a known variant', async () => {
    expect((await send({ url: `${taskUrl}/content` })).json.error.code).toBe('missing_api_key');
    for (const query of ['?variant=poster', '?variant=', '?variant=video&variant=video']) {
      expect((await content(query)).json.error).toMatchObject({ code: 'invalid_parameter', param: 'variant' });
    }
    expect((await send({ url: '/v1/videos/task_x/content', headers: auth })).json.error.code).toBe('task_not_found');
    // With a key and a signature, only the signature counts.
    expect((await content('?signature=x')).json.error.code).toBe('signature_invalid');
  });
});
