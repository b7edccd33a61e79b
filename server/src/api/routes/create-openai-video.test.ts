import { describe, expect, it, vi } from 'vitest';
import { AppError } from '../../errors.ts';
import { auth, create, events, parts, send, task } from '../app.fixture.ts';

const url = '/v1/videos';
const json = (payload: object, headers: Record<string, string> = {}) =>
  send({ method: 'POST', url, headers: { ...auth, ...headers }, payload });

async function form(entries: [string, string | File][], headers: Record<string, string> = {}) {
  const data = new FormData();
  for (const [name, value] of entries) data.append(name, value);
  const encoded = new Response(data);
  return send({
    method: 'POST',
    url,
    headers: { ...auth, 'content-type': encoded.headers.get('content-type') ?? '', ...headers },
    payload: Buffer.from(await encoded.arrayBuffer()),
  });
}

describe('POST /v1/videos', () => {
  it('returns the same task for JSON and forms as the other creates', async () => {
    const other = await create({ prompt: 'a cat' });
    for (const response of [await json({ prompt: 'a cat', seconds: '4' }), await form([['prompt', 'a cat']])]) {
      expect(response.status).toBe(200);
      expect(response.json).toEqual(other.json);
      expect(response.headers['openai-poll-after-ms']).toBe(other.headers['openai-poll-after-ms']);
    }
    expect(other.json).toMatchObject({ id: task.id, object: 'video', status: 'completed', seconds: '1' });
  });

  it('starts the task after the response is sent', async () => {
    events.length = 0;
    await form([['prompt', 'a cat']]);
    expect(events).toEqual(['committed', 'POST /v1/videos 200', 'sent']);
  });

  it('passes on the bytes of an input_reference, which count for idempotency', async () => {
    const createTask = vi.spyOn(parts, 'createTask');
    for (const content of ['xx', 'xx', 'yy']) {
      const { status } = await form(
        [
          ['prompt', 'a cat'],
          ['input_reference', new File([content], 'a.png')],
        ],
        { 'idempotency-key': 'one' },
      );
      expect(status).toBe(200);
    }
    const seen = createTask.mock.calls.map(([{ upload, request, idempotency }]) => ({ upload, request, idempotency }));
    createTask.mockRestore();
    expect(seen.map(({ upload }) => upload?.toString())).toEqual(['xx', 'xx', 'yy']);
    expect(seen.every(({ request }) => /^upload:[0-9a-f]{64}$/.test(request.imageUrl ?? ''))).toBe(true);
    const [first, second, third] = seen.map(({ idempotency }) => idempotency?.hashes.imageSha256?.toString('hex'));
    expect(first).toBe(second);
    expect(first).not.toBe(third);
  });

  it('names input_reference in the error if the image cannot be fetched', async () => {
    vi.spyOn(parts, 'createTask').mockRejectedValueOnce(new AppError('image_unreachable', { param: 'image_url' }));
    const { status, json: body } = await json({ prompt: 'a cat', input_reference: 'https://example.com/a.png' });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'image_unreachable', param: 'input_reference' });
    expect(body.error.message).toContain('Check that input_reference opens');
  });

  it('obeys Prefer: handling=strict', async () => {
    const strict = { prefer: 'handling=strict' };
    expect((await json({ prompt: 'a cat', fps: 24 })).status).toBe(200);
    const { status, json: body } = await json({ prompt: 'a cat', fps: 24 }, strict);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'unknown_parameter', 'fps']);
    expect((await form([['prompt', 'a cat']], strict)).headers['preference-applied']).toBe('handling=strict');
  });

  it('refuses invalid bodies like the other creates', async () => {
    const empty = await send({ method: 'POST', url, headers: auth });
    expect([empty.status, empty.json.error.code]).toEqual([400, 'invalid_json']);
    const text = await send({ method: 'POST', url, headers: { ...auth, 'content-type': 'text/plain' }, payload: 'a' });
    expect([text.status, text.json.error.message]).toEqual([
      415,
      'Send the body as application/json or multipart/form-data.',
    ]);
    const large = await form([['input_reference', new File([new Uint8Array(15 * 1024 * 1024)], 'a.png')]]);
    expect([large.status, large.json.error.code]).toEqual([413, 'payload_too_large']);
  });

  it.each([
    ['/v1/videos/edits', 405],
    ['/v1/videos/extensions', 405],
    ['/v1/videos/characters', 405],
    [`/v1/videos/${task.id}/remix`, 404],
  ])('does not support %s', async (path, expected) => {
    const { status } = await send({ method: 'POST', url: path, headers: auth, payload: { prompt: 'a cat' } });
    expect(status).toBe(expected);
  });
});
