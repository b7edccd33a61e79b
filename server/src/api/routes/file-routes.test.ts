import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { parts, send, storedFile } from '../app.fixture.ts';
import { createApp } from '../app.ts';

const uploader = { authorization: 'Bearer uploader' };

async function upload(form: FormData, headers: Record<string, string> = {}) {
  const encoded = new Response(form);
  return send({
    method: 'POST',
    url: '/v1/files',
    headers: { ...uploader, 'content-type': encoded.headers.get('content-type') ?? '', ...headers },
    payload: Buffer.from(await encoded.arrayBuffer()),
  });
}

function formOf(entries: [string, string | File][]): FormData {
  const form = new FormData();
  for (const [name, value] of entries) form.append(name, value);
  return form;
}

const image = (sizeBytes = 1000, name = 'boat.jpg') => new File([new Uint8Array(sizeBytes)], name);

describe('POST /v1/files', () => {
  it('returns the image as it is stored, and ignores the other fields of the form', async () => {
    const { status, json } = await upload(
      formOf([
        ['purpose', 'vision'],
        ['file', image()],
        ['expires_after[seconds]', '3600'],
      ]),
    );
    expect(status).toBe(200);
    expect(json).toEqual({
      id: storedFile.id,
      object: 'file',
      filename: 'boat.jpg',
      content_type: 'image/png',
      bytes: 1000,
      size_bytes: 1000,
      sha256: 'abcdef',
      width: 640,
      height: 480,
      created_at: 1794744000,
      expires_at: 1794830400,
    });
  });

  it('stores only the part of a name that can be displayed safely', async () => {
    const names = await Promise.all(
      ['/etc/pass\u0000wd', 'C:\\a\\b.png', 'x'.repeat(100)].map((name) => upload(formOf([['file', image(1, name)]]))),
    );
    expect(names.map(({ json }) => json.filename)).toEqual(['pass\ufffdwd', 'b.png', `${'x'.repeat(64)}…`]);
  });

  it('needs one part named file', async () => {
    const none = await upload(formOf([['image', image()]]));
    expect(none.json.error).toMatchObject({ code: 'missing_parameter', param: 'file' });
    const two = await upload(
      formOf([
        ['file', image()],
        ['file', image()],
      ]),
    );
    expect(two.json.error).toMatchObject({
      code: 'invalid_parameter',
      param: 'file',
      message: 'file must be sent once',
    });
  });

  it('accepts an image of 20 MB and refuses a body of more than 20 MiB', async () => {
    expect((await upload(formOf([['file', image(20_000_000)]]))).status).toBe(200);
    const { status, json } = await upload(formOf([['file', image(20 * 1024 * 1024)]]));
    expect([status, json.error.code]).toEqual([413, 'payload_too_large']);
    expect(json.error.message).toContain('at most 20 MB');
  });

  it('accepts nothing but forms', async () => {
    for (const type of ['application/json', 'text/plain', 'multipart/mixed; boundary=x', 'image/png']) {
      const { status, json } = await upload(formOf([]), { 'content-type': type });
      expect([type, status, json.error.code]).toEqual([
        type,
        type === 'application/json' ? 400 : 415,
        type === 'application/json' ? 'invalid_json' : 'unsupported_media_type',
      ]);
    }
    const json = await send({ method: 'POST', url: '/v1/files', headers: uploader, payload: { file: 'x' } });
    expect([json.status, json.json.error.code]).toEqual([415, 'unsupported_media_type']);
    const empty = await send({ method: 'POST', url: '/v1/files', headers: uploader });
    expect([empty.status, empty.json.error.code]).toEqual([415, 'unsupported_media_type']);
    const zipped = await upload(formOf([['file', image()]]), { 'content-encoding': 'gzip' });
    expect([zipped.status, zipped.json.error.code]).toEqual([415, 'unsupported_media_type']);
  });

  it('says what is wrong with an invalid form', async () => {
    const { status, json } = await upload(formOf([]), { 'content-type': 'multipart/form-data' });
    expect([status, json.error.code]).toEqual([400, 'malformed_request']);
    expect(json.error.message).toBe(
      'The body is not valid multipart/form-data: Content-Type names no boundary of 1 to 70 characters.',
    );
  });

  it('requires the scope before it reads anything', async () => {
    const { status, json } = await upload(formOf([]), { authorization: 'Bearer good', 'content-type': 'text/plain' });
    expect([status, json.error.code]).toEqual([403, 'insufficient_scope']);
  });

  it('does not make other routes accept forms', async () => {
    const encoded = new Response(formOf([['prompt', 'a cat']]));
    const { status, json } = await send({
      method: 'POST',
      url: '/v1/videos/text-to-video',
      headers: { authorization: 'Bearer good', 'content-type': encoded.headers.get('content-type') ?? '' },
      payload: Buffer.from(await encoded.arrayBuffer()),
    });
    expect([status, json.error.code]).toEqual([415, 'unsupported_media_type']);
    expect(json.error.message).toBe('Send the body as application/json.');
  });
});

describe('an upload to a full project', () => {
  it.each([
    ['bytes', { limitBytes: 5_000_000, usedBytes: 5_000_000, filesLimit: 10, files: 1 }],
    ['files', { limitBytes: 5_000_000, usedBytes: 1, filesLimit: 10, files: 10 }],
  ])('an upload beyond the limit on %s is refused before its body is read', async (_, storage) => {
    const app = createApp({
      ...parts,
      authenticate: async () => {
        const caller = await parts.authenticate('uploader', () => undefined);
        return { ...caller, limits: { ...caller.limits, storage } };
      },
    });
    const body = new Readable({ read: () => undefined });
    const response = await app.inject({
      method: 'POST',
      url: '/v1/files',
      headers: { ...uploader, 'content-type': 'multipart/form-data; boundary=b' },
      payload: body,
    });
    body.destroy();
    expect(response.statusCode).toBe(429);
    expect(response.json().error).toMatchObject({ code: 'storage_limit_reached', retryable: false });
    expect(response.json().error.message).toContain('DELETE /v1/files/{file_id}');
  });
});

describe('a file', () => {
  it('is read and deleted by its id', async () => {
    const url = `/v1/files/${storedFile.id}`;
    expect((await send({ url, headers: uploader })).json).toMatchObject({ id: storedFile.id, object: 'file' });
    expect((await send({ method: 'DELETE', url, headers: uploader })).json).toEqual({
      id: storedFile.id,
      object: 'file.deleted',
      deleted: true,
    });
  });

  it.each(['file_01k9zqv3x4e8rb6t7y2m5n0p1r', 'task_01k9zqv3x4e8rb6t7y2m5n0p1q', 'x', '%00'])(
    'is not found under %s',
    async (id) => {
      for (const method of ['GET', 'DELETE'] as const) {
        const { status, json } = await send({ method, url: `/v1/files/${id}`, headers: uploader });
        expect([status, json.error.code]).toEqual([404, 'not_found']);
      }
    },
  );
});
