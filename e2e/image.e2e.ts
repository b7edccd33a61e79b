import { download, type ErrorBody, type Task } from '@kinora/stack/harness/api-client';
import { redirect, startImageServer } from '@kinora/stack/harness/image-server';
import { neverRunning } from '@kinora/stack/harness/project-limits';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { save } from './media-folder.ts';
import { clientFor, ownProject, workerPort } from './own-project.ts';
import { type Fit, firstFrameSsim } from './probe-video.ts';
import { picture, plainPicture, rotatedByExif } from './sample-pictures.ts';

const { testKey, deadPort, waitingKey } = inject('world');
const ownPort = workerPort();
const client = clientFor(testKey);
const prompt = 'The camera slowly moves in';
const small = { resolution: '480p', duration: 1 };

let server = await startImageServer(ownPort);
/** A server on an address that the service must never fetch from; a request here means that the guard failed. */
const forbiddenServer = await startImageServer(ownPort, '127.0.0.2');
afterAll(() => Promise.all([server.close(), forbiddenServer.close()]));

function dataUri(bytes: Buffer, type: string): string {
  return `data:image/${type};base64,${bytes.toString('base64')}`;
}

/** Waits until the task has ended, and returns the similarity of its first frame and the image for each kind of fit. */
async function likeness(
  task: Task,
  image: Buffer,
  extension: string,
  { turned = false } = {},
): Promise<Record<Fit, number>> {
  const { end } = await client.follow(task.task_id);
  expect(end.error).toBeNull();
  const { bytes } = await download(end.video_url);
  const [video, source] = await Promise.all([save(bytes, 'mp4'), save(image, extension)]);
  const ssim = (fit: Fit) => firstFrameSsim(video, source, { fit, turned });
  return { crop: await ssim('crop'), pad: await ssim('pad'), stretch: await ssim('stretch') };
}

describe('the video begins with the image', () => {
  test('a video begins with a JPEG from a data URI, cropped by default', async () => {
    const image = await picture({ width: 1000, height: 700 }, 'jpg');
    const task = await client.create({ prompt, image_url: dataUri(image, 'jpeg'), aspect_ratio: '16:9', ...small });
    expect(task).toMatchObject({
      type: 'image_to_video',
      size: '854x480',
      image: { width: 1000, height: 700, fit: 'crop' },
    });
    expect(task.image?.sha256).toMatch(/^[0-9a-f]{64}$/);
    const alike = await likeness(task, image, 'jpg');
    expect(alike.crop).toBeGreaterThanOrEqual(0.9);
    // The other kinds of fit are clearly less similar.
    expect(alike.crop).toBeGreaterThan(Math.max(alike.pad, alike.stretch) + 0.1);
  });

  test('a video begins with a padded PNG from a URL, and the task does not contain the URL', async () => {
    const image = await picture({ width: 1000, height: 700 }, 'png');
    server.serve('/picture-of-a-secret-project', image);
    const image_url = server.url('/picture-of-a-secret-project');
    const task = await client.create({ prompt, image_url, image_fit: 'pad', aspect_ratio: '1:1', ...small });
    expect(task).toMatchObject({ size: '480x480', image: { fit: 'pad' } });
    expect(JSON.stringify(task)).not.toContain('secret-project');
    const alike = await likeness(task, image, 'png');
    expect(alike.pad).toBeGreaterThanOrEqual(0.9);
    expect(alike.pad).toBeGreaterThan(Math.max(alike.crop, alike.stretch) + 0.1);
  });

  test('a video begins with a stretched WebP from a URL behind three redirects', async () => {
    const image = await picture({ width: 1000, height: 700 }, 'webp');
    server.serve('/one', redirect('/two'));
    server.serve('/two', redirect(server.url('/three')));
    server.serve('/three', redirect('./four'));
    server.serve('/four', image);
    const fields = { prompt, image_url: server.url('/one'), image_fit: 'stretch', aspect_ratio: '3:4', ...small };
    const task = await client.create(fields);
    const alike = await likeness(task, image, 'webp');
    expect(alike.stretch).toBeGreaterThanOrEqual(0.9);
    expect(alike.stretch).toBeGreaterThan(Math.max(alike.crop, alike.pad) + 0.1);
  });

  test('a photograph with an EXIF rotation is turned upright before its nearest aspect ratio is chosen', async () => {
    const image = rotatedByExif(await picture({ width: 1200, height: 900 }, 'jpg'));
    const task = await client.create({ prompt, image_url: dataUri(image, 'jpeg'), ...small });
    expect(task).toMatchObject({
      aspect_ratio: '3:4',
      size: '480x640',
      image: { width: 900, height: 1200, fit: 'crop' },
    });
    const alike = await likeness(task, image, 'jpg', { turned: true });
    expect(alike.crop).toBeGreaterThanOrEqual(0.9);
  });
});

describe('without aspect_ratio', () => {
  test.each([
    ['1600x900', '16:9'],
    ['450x800', '9:16'],
    ['1000x760', '4:3'],
    ['600x780', '3:4'],
    ['1150x500', '21:9'],
    ['500x510', '1:1'],
  ])('an image of %s without aspect_ratio makes a video of %s', async (size, aspectRatio) => {
    const image_url = dataUri(await plainPicture(size), 'png');
    expect(await clientFor(waitingKey).create({ prompt, image_url })).toMatchObject({
      aspect_ratio: aspectRatio,
      resolution: '720p',
    });
  });
});

test('the image is fetched once, at the create: its server may go down while the task waits', async () => {
  const { client: own, set } = await ownProject('a link that breaks', neverRunning);
  const image = await picture({ width: 640, height: 480 }, 'png');
  server.serve('/soon-deleted', image);
  const task = await own.create({ prompt, image_url: server.url('/soon-deleted'), ...small });
  const { requestedPaths } = server;
  await server.close();
  try {
    await set('--running', '1');
    const { end } = await own.follow(task.task_id);
    expect(end).toMatchObject({ status: 'completed', image: task.image });
  } finally {
    server = await startImageServer(ownPort);
  }
  expect(requestedPaths.filter((path) => path === '/soon-deleted')).toHaveLength(1);
});

describe('each kind of bad image has its own error code', () => {
  async function refusal(image_url: string) {
    const response = await client.post<ErrorBody>('/v1/videos/image-to-video', { prompt, image_url, ...small });
    const { error } = response.body;
    expect({ ...error, status: response.status }).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      param: 'image_url',
      retryable: false,
    });
    expect(response.headers.get('x-should-retry')).toBe('false');
    // The message never contains an internal address, a path or the text of a decoder's error.
    expect(error.message).not.toMatch(/127\.0\.0|169\.254|\/tmp|vips|ECONN|\bat \w+ \(/i);
    // The URL is included so that a failed expectation shows which one it was.
    return { code: error.code, image_url: image_url.slice(0, 100) };
  }
  const png = (size: string) => plainPicture(size).then((bytes) => dataUri(bytes, 'png'));

  test.each(['299x400', '400x299', '1000x399', '399x1000', '6001x3000'])(
    'an image of %s gets image_bad_dimensions',
    async (size) => {
      expect((await refusal(await png(size))).code).toBe('image_bad_dimensions');
    },
  );

  test('an image of more than 40 megapixels, even in few bytes, gets image_too_large', async () => {
    expect((await refusal(await png('7000x6000'))).code).toBe('image_too_large');
  });

  test('an inline image of more than 10 MB gets image_too_large', async () => {
    const large = Buffer.concat([await picture({ width: 640, height: 480 }, 'jpg'), Buffer.alloc(10_500_000)]);
    expect((await refusal(dataUri(large, 'jpeg'))).code).toBe('image_too_large');
  });

  test('an image of more than 20 MB by URL, with or without a Content-Length, gets image_too_large', async () => {
    server.serve('/large', Buffer.alloc(21_500_000, 1));
    server.serve('/endless', (response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(1_000_000, 1);
      const write = (): void => void (response.destroyed || response.write(chunk, write));
      write();
    });
    expect((await refusal(server.url('/large'))).code).toBe('image_too_large');
    expect((await refusal(server.url('/endless'))).code).toBe('image_too_large');
  });

  test('an image that is neither JPEG, PNG nor WebP gets image_unsupported_format', async () => {
    const gif = await picture({ width: 400, height: 400 }, 'gif');
    server.serve('/named.png', gif);
    server.serve('/empty', Buffer.alloc(0));
    expect((await refusal(server.url('/named.png'))).code).toBe('image_unsupported_format');
    expect((await refusal(server.url('/empty'))).code).toBe('image_unsupported_format');
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400"/>');
    expect((await refusal(dataUri(svg, 'png'))).code).toBe('image_unsupported_format');
  });

  test('an image that is cut off or damaged gets image_undecodable', async () => {
    const [jpeg, whole] = await Promise.all([
      picture({ width: 640, height: 480 }, 'jpg'),
      picture({ width: 640, height: 480 }, 'png'),
    ]);
    const damaged = Buffer.from(whole);
    damaged.fill(0xff, 2000, 4000);
    expect((await refusal(dataUri(jpeg.subarray(0, jpeg.length / 2), 'jpeg'))).code).toBe('image_undecodable');
    expect((await refusal(dataUri(damaged, 'png'))).code).toBe('image_undecodable');
  });

  test('a URL that cannot be fetched (not found, refused, redirected too often, cut off, too slow) gets image_unreachable', async () => {
    const image = await picture({ width: 640, height: 480 }, 'png');
    server.serve('/round', redirect('/round'));
    server.serve('/cut', (response) => {
      response.writeHead(200, { 'content-length': String(image.length) });
      response.write(image.subarray(0, 1000), () => response.destroy());
    });
    server.serve('/slow', (response) => void response.writeHead(200).write(image.subarray(0, 1000)));
    for (const url of [
      server.url('/nothing-here'),
      `http://127.0.0.1:${deadPort}/`,
      server.url('/round'),
      server.url('/cut'),
      'https://name-that-does-not-exist.invalid/image.png',
    ]) {
      expect(await refusal(url)).toEqual({ image_url: url, code: 'image_unreachable' });
    }
    // The message says which limit ended the fetch: the one for slow servers, not the one for the whole fetch.
    const slow = await client.post<ErrorBody>('/v1/videos/image-to-video', {
      prompt,
      image_url: server.url('/slow'),
      ...small,
    });
    expect(slow.body.error).toMatchObject({
      code: 'image_unreachable',
      message: expect.stringContaining('less than 64 KiB in 3 s'),
    });
  });

  test('an internal address in any notation, or behind a redirect, gets image_forbidden_address', async () => {
    server.serve('/to-forbidden', redirect(forbiddenServer.url('/image.png')));
    server.serve('/to-metadata', redirect('http://169.254.169.254/latest/meta-data'));
    for (const url of [
      forbiddenServer.url('/image.png'),
      `http://2130706434:${ownPort}/image.png`,
      `http://0x7f.0.0.2:${ownPort}/image.png`,
      `http://[::ffff:127.0.0.2]:${ownPort}/image.png`,
      `http://[::1]:${ownPort}/image.png`,
      'http://169.254.169.254/latest/meta-data',
      'http://10.0.0.1/image.png',
      'http://127.0.0.1:22/image.png',
      server.url('/to-forbidden'),
      server.url('/to-metadata'),
    ]) {
      expect(await refusal(url)).toEqual({ image_url: url, code: 'image_forbidden_address' });
    }
    expect(forbiddenServer.requestedPaths).toEqual([]);
  });

  test('an image_url that is not an http(s) URL gets invalid_parameter, and a missing one missing_parameter', async () => {
    for (const url of [
      'ftp://example.com/a.png',
      'file:///etc/passwd',
      'image.png',
      'data:text/plain,hello',
      'http://user:word@example.com/',
    ]) {
      expect(await refusal(url)).toEqual({ image_url: url, code: 'invalid_parameter' });
    }
    const response = await client.post<ErrorBody>('/v1/videos/image-to-video', { prompt });
    expect(response.body.error).toMatchObject({ code: 'missing_parameter', param: 'image_url' });
  });
});
