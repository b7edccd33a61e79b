import { once } from 'node:events';
import { connect } from 'node:net';
import type { UploadedFile } from '@kinora/sdk';
import { download, type ErrorBody, type Task } from '@kinora/stack/harness/api-client';
import { describe, expect, inject, test } from 'vitest';
import { describedResponses } from './described-responses.ts';
import { save } from './media-folder.ts';
import { clientFor } from './own-project.ts';
import { firstFrameSsim } from './probe-video.ts';
import { picture, plainPicture, rotatedByExif } from './sample-pictures.ts';

const { url, testKey, liveKey, waitingKey } = inject('world');
const client = clientFor(testKey);
const small = { resolution: '480p', aspect_ratio: '4:3', duration: 1 };
const described = await describedResponses();

async function upload(bytes: Buffer, name = 'boat.png'): Promise<{ status: number; body: UploadedFile & ErrorBody }> {
  const body = new FormData();
  body.append('file', new File([Uint8Array.from(bytes)], name));
  const response = await client.fetch('/v1/files', { method: 'POST', body });
  return { status: response.status, body: (await response.json()) as UploadedFile & ErrorBody };
}

test('under one Idempotency-Key, uploading the same image twice makes one task, and another image is refused', async () => {
  const named = { 'idempotency-key': crypto.randomUUID() };
  const create = async (picture: Buffer) => {
    const { body: file } = await upload(picture);
    const body = { ...small, prompt: 'A kite', image_url: file.id };
    return client.post<Task & ErrorBody>('/v1/videos/image-to-video', body, named);
  };
  const [one, other] = [await plainPicture('400x400'), await plainPicture('400x500')];
  const first = await create(one);
  const second = await create(one);
  expect([second.body.task_id, second.headers.get('idempotent-replayed')]).toEqual([first.body.task_id, 'true']);
  const refused = await create(other);
  expect([refused.status, refused.body.error.code]).toEqual([422, 'idempotency_key_reused']);
});

test('two tasks use one uploaded image, and complete although the upload is deleted', async () => {
  const image = rotatedByExif(await picture({ width: 480, height: 640 }, 'jpg'));
  const { status, body: file } = await upload(image, 'boat.jpg');
  expect(status).toBe(200);
  described.check('File')(file);
  expect(file).toMatchObject({ filename: 'boat.jpg', width: 640, height: 480 });
  expect(file.expires_at - file.created_at).toBe(24 * 60 * 60);
  expect((await client.get<UploadedFile>(`/v1/files/${file.id}`)).body).toEqual(file);

  const create = () => client.create({ prompt: 'it moves', image_url: file.id, seed: 3, ...small });
  const tasks = [await create(), await create()];
  expect((await client.delete(`/v1/files/${file.id}`)).body).toEqual({
    id: file.id,
    object: 'file.deleted',
    deleted: true,
  });
  expect((await client.get<ErrorBody>(`/v1/files/${file.id}`)).status).toBe(404);
  expect((await client.delete(`/v1/files/${file.id}`)).status).toBe(200);
  for (const task of tasks) {
    expect(task.image).toEqual({ sha256: file.sha256, width: 640, height: 480, fit: 'crop' });
    const { end } = await client.follow(task.task_id);
    expect(end.status).toBe('completed');
    const video = await save((await download(end.video_url)).bytes, 'mp4');
    const upright = await save(image, 'jpg');
    expect(await firstFrameSsim(video, upright, { fit: 'crop', turned: true })).toBeGreaterThan(0.9);
  }
});

test('a file of another project or mode looks like one that does not exist', async () => {
  const { body: file } = await upload(await plainPicture('400x400'));
  const unknown = 'file_01k9zqv3x4e8rb6t7y2m5n0p1q';
  const useFile = async (key: string, id: string) => {
    const one = clientFor(key);
    const responses = [
      await one.get<ErrorBody>(`/v1/files/${id}`),
      await one.delete<ErrorBody>(`/v1/files/${id}`),
      await one.post<ErrorBody>('/v1/videos/image-to-video', { prompt: 'it moves', image_url: id, ...small }),
    ];
    return responses.map(({ status, body }) => ({ status, error: body.error }));
  };
  const expected = await useFile(testKey, unknown);
  expect(expected).toMatchObject([
    { status: 404, error: { code: 'not_found' } },
    { status: 404, error: { code: 'not_found' } },
    { status: 400, error: { code: 'invalid_parameter', param: 'image_url' } },
  ]);
  expect(await useFile(waitingKey, file.id)).toEqual(expected);
  expect(await useFile(liveKey, file.id)).toEqual(expected);
  expect(await useFile(testKey, 'file_nonsense')).toEqual(expected);
  expect((await client.get<UploadedFile>(`/v1/files/${file.id}`)).status).toBe(200);
});

test('each kind of bad image has its own error code', async () => {
  const jpeg = await picture({ width: 640, height: 480 }, 'jpg');
  for (const [code, bytes] of [
    ['image_unsupported_format', await picture({ width: 400, height: 400 }, 'gif')],
    ['image_unsupported_format', Buffer.alloc(0)],
    ['image_bad_dimensions', await plainPicture('299x400')],
    ['image_too_large', await plainPicture('7000x6000')],
    ['image_too_large', Buffer.concat([jpeg, Buffer.alloc(20_100_000)])],
    ['image_undecodable', jpeg.subarray(0, jpeg.length / 2)],
  ] as const) {
    const { status, body } = await upload(bytes);
    described.expectError(body);
    expect([status, body.error.code, body.error.param]).toEqual([400, code, 'file']);
  }
});

describe('hostile forms', () => {
  const boundary = 'xYz';
  const part = (headers: string, content: string | Buffer = '') =>
    Buffer.concat([Buffer.from(`--${boundary}\r\n${headers}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')]);
  const end = Buffer.from(`--${boundary}--\r\n`);
  const named = 'Content-Disposition: form-data; name="file"; filename="a.png"';

  /** Sends exactly these bytes and returns the status of the response; 0 if the connection closes without one. */
  async function raw(chunks: Buffer[], headers: string[], hangUp = false): Promise<number> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const received = new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        if (text.includes('\r\n\r\n')) resolve(text);
      });
      socket.on('close', () => resolve(text));
      socket.on('error', () => resolve(text));
    });
    await once(socket, 'connect');
    const type = `content-type: multipart/form-data; boundary=${boundary}`;
    const head = ['POST /v1/files HTTP/1.1', 'host: x', `authorization: Bearer ${testKey}`, type, ...headers];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    for (const chunk of chunks) socket.write(chunk);
    if (hangUp) socket.end();
    const text = await received;
    socket.destroy();
    return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
  }

  test.each([
    ['no parts', [end], 400],
    ['a part without an end', [part(named, 'x')], 400],
    ['headers without an end', [Buffer.from(`--${boundary}\r\n`), Buffer.alloc(1_000_000, 'a')], 400],
    ['thousands of parts', [...Array.from({ length: 5000 }, () => part(named)), end], 413],
    [
      'a form in a form',
      [part(`${named}\r\nContent-Type: multipart/mixed; boundary=q`, '--q\r\n\r\nx\r\n--q--'), end],
      400,
    ],
    ['a name with a line break', [part('Content-Disposition: form-data; name="fi\r\nle"', 'x'), end], 400],
    ['bytes without meaning', [Buffer.alloc(100_000, 0xff)], 400],
  ])('a form with %s is refused', async (_, chunks, status) => {
    const body = Buffer.concat(chunks);
    expect(await raw([body], [`content-length: ${body.length}`])).toBe(status);
  });

  test('a form that is too large gets 413, with or without a Content-Length', async () => {
    expect(await raw([part(named, 'x')], ['content-length: 30000000'])).toBe(413);
    const chunk = Buffer.alloc(1024 * 1024, 1);
    const framed = Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]);
    expect(await raw(Array(22).fill(framed), ['transfer-encoding: chunked'])).toBe(413);
  });

  test('a form upload that breaks off does not harm the service', async () => {
    expect([0, 400]).toContain(await raw([part(named, 'x')], ['content-length: 5000'], true));
    expect((await client.get('/v1/videos?limit=1')).status).toBe(200);
  });
});
