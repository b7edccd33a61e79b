import { createHmac, hkdfSync } from 'node:crypto';
import { call, createApiClient, download, type ErrorBody } from '@kinora/stack/harness/api-client';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { runToEnd } from '@kinora/stack/harness/task-waits';
import { describe, expect, inject, test } from 'vitest';
import { describedResponses } from './described-responses.ts';
import { clientFor } from './own-project.ts';
import { startSecondApi } from './second-api.ts';

const { environment, testKey, url } = inject('world');
const client = clientFor(testKey);

const task = await runToEnd(client, { prompt: 'Snow falls on a roof', ...smallestVideo, metadata: { a: 'b' } });
const whole = (await download(task.video_url)).bytes;

const videoUrl = () => new URL(task.video_url ?? '');
const get = (address: URL | string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(address, { headers, method });
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

test('a completed task has every field of the contract, with the right values', async () => {
  const { expectTask, expectVideo } = await describedResponses();
  expectTask(task);
  expectVideo(task.video);
  expect(task).toMatchObject({
    status: 'completed',
    is_final: true,
    progress: 100,
    error: null,
    // Tasks of a test key are free.
    usage: { video_seconds: 1, billable: false },
    video: { rendered: { width: 480, height: 480 }, has_audio: false },
  });
  expect(task.usage?.engine_seconds).toBeGreaterThan(0);
  expect(task.created_at).toBeLessThanOrEqual(task.started_at ?? 0);
  expect(task.started_at).toBeLessThanOrEqual(task.completed_at ?? 0);
  // Files are stored for seven days, and a URL is valid for an hour.
  const { completed_at: completedAt, expires_at: expiresAt, video } = task;
  expect((expiresAt ?? 0) - (completedAt ?? 0)).toBe(7 * 86_400);
  expect(video?.url_expires_at).toBeGreaterThanOrEqual((completedAt ?? 0) + 3600);
  expect(video?.url_expires_at).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 3600);
});

test('signed URLs start with the configured public URL, and their responses suit video players', async () => {
  expect(task.video_url?.startsWith(`${url}/v1/videos/${task.task_id}/content?`)).toBe(true);
  const response = await get(videoUrl());
  expect(response.headers.get('content-type')).toBe('video/mp4');
  expect(response.headers.get('accept-ranges')).toBe('bytes');
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('etag')).toBe(`"${task.video?.sha256}"`);
  await response.body?.cancel();
});

describe('Range', () => {
  test.each([
    ['bytes=0-99', 0, 99],
    ['bytes=100-', 100, -1],
    ['bytes=-50', -50, -1],
    ['bytes=10-99999999', 10, -1],
  ])('Range: %s returns that part of the file', async (range, from, to) => {
    const start = from < 0 ? whole.length + from : from;
    const end = to < 0 ? whole.length + to : to;
    const response = await get(videoUrl(), { range });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end}/${whole.length}`);
    expect((await bytesOf(response)).equals(whole.subarray(start, end + 1))).toBe(true);
  });

  test('a range beyond the end gets 416 with the size of the file', async () => {
    const response = await get(videoUrl(), { range: `bytes=${whole.length}-` });
    expect(response.status).toBe(416);
    expect(response.headers.get('content-range')).toBe(`bytes */${whole.length}`);
    expect(await response.json()).toMatchObject({ error: { code: 'range_not_satisfiable' } });
  });

  test('If-Range returns the part if the ETag matches, and the whole file otherwise', async () => {
    const etag = `"${task.video?.sha256}"`;
    expect((await bytesOf(await get(videoUrl(), { range: 'bytes=0-9', 'if-range': etag }))).length).toBe(10);
    const other = await get(videoUrl(), { range: 'bytes=0-9', 'if-range': '"another"' });
    expect(other.status).toBe(200);
    expect((await bytesOf(other)).equals(whole)).toBe(true);
  });

  test('HEAD returns the length, and If-None-Match returns 304', async () => {
    const head = await get(videoUrl(), {}, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(whole.length)]);
    const known = await get(videoUrl(), { 'if-none-match': `"${task.video?.sha256}"` });
    expect(known.status).toBe(304);
  });
});

describe('a signed URL is valid for one file only', () => {
  const refusal = async (address: URL) => {
    const { status, body } = await client.get<ErrorBody>(address.pathname + address.search);
    return { status, code: body.error.code };
  };
  const refused = { status: 403, code: 'signature_invalid' };

  test.each<[string, (address: URL) => void]>([
    ['an empty signature', (address) => address.searchParams.set('signature', '')],
    ['another signature', (address) => flip(address, 'signature')],
    ['another variant', (address) => address.searchParams.set('variant', 'thumbnail')],
    [
      'another expiry time',
      (address) => address.searchParams.set('expires', String(Number(address.searchParams.get('expires')) + 1)),
    ],
    [
      'another spelling of the expiry time',
      (address) => address.searchParams.set('expires', `0${address.searchParams.get('expires')}`),
    ],
    ['a variant that does not exist', (address) => address.searchParams.set('variant', 'raw')],
  ])('a signed URL with %s is refused', async (_, change) => {
    const address = videoUrl();
    change(address);
    expect(await refusal(address)).toEqual(refused);
  });

  test.each<[string, (address: URL) => void]>([
    ['its signature', (address) => address.searchParams.delete('signature')],
    ['its whole query', (address) => void (address.search = '')],
  ])('a signed URL without %s needs an API key', async (_, change) => {
    const address = videoUrl();
    change(address);
    const { status, body, headers } = await call<ErrorBody>(address.href);
    expect([status, body.error.code]).toEqual([401, 'missing_api_key']);
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  test('the signature of one task does not work for another task', async () => {
    const address = videoUrl();
    address.pathname = address.pathname.replace(task.task_id, flipped(task.task_id));
    expect(await refusal(address)).toEqual(refused);
  });

  test('an expired URL is refused although its signature is right', async () => {
    const now = Math.floor(Date.now() / 1000);
    // Both are signed by the same function, so only the time can make the difference.
    expect((await get(signed(now + 60))).status).toBe(200);
    expect(await refusal(signed(now - 1))).toEqual(refused);
  });
});

/** Signs a URL as the service does, with the installation's secret key. */
function signed(expires: number): URL {
  const address = videoUrl();
  const key = Buffer.from(hkdfSync('sha256', environment['KINORA_SECRET_KEYS'] ?? '', '', 'kinora signed urls', 32));
  const text = JSON.stringify([address.pathname, 'video', String(expires)]);
  address.searchParams.set('expires', String(expires));
  address.searchParams.set('signature', createHmac('sha256', key).update(text).digest('base64url'));
  return address;
}

function flip(address: URL, name: string): void {
  address.searchParams.set(name, flipped(address.searchParams.get(name) ?? '', 5));
}

/** Returns the text with one character changed, by default the last. */
function flipped(text: string, at = text.length - 1): string {
  return `${text.slice(0, at)}${text[at] === '1' ? '2' : '1'}${text.slice(at + 1)}`;
}

test('files are downloaded directly from the store, with Range, if the operator sets a public endpoint of it', async () => {
  const store = environment['KINORA_S3_ENDPOINT'] ?? '';
  await using api = await startSecondApi('api-with-public-store', { KINORA_S3_PUBLIC_ENDPOINT: store });
  const read = await createApiClient({ url: api.url, key: testKey }).read(task.task_id);
  for (const address of [read.video_url, read.video?.thumbnail_url, read.video?.spritesheet_url]) {
    expect(new URL(address ?? '').origin).toBe(store);
  }
  const { bytes, contentType } = await download(read.video_url);
  expect(bytes.equals(whole)).toBe(true);
  expect(contentType).toBe('video/mp4');
  const part = await get(read.video_url ?? '', { range: 'bytes=10-19' });
  expect(part.status).toBe(206);
  expect(await bytesOf(part)).toEqual(whole.subarray(10, 20));
});
