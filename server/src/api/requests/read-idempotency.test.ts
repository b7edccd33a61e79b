import { afterAll, describe, expect, it } from 'vitest';
import type { CreateTaskInput } from '../../operations/tasks/create-task.ts';
import { auth, create, parts } from '../app.fixture.ts';
import { createApp } from '../app.ts';

const seen: CreateTaskInput[] = [];
const app = createApp({
  ...parts,
  createTask: async (input) => {
    seen.push(input);
    return parts.createTask(input);
  },
});
afterAll(() => app.close());

/** Returns what the operation receives for a body and an Idempotency-Key. */
async function idempotencyOf(payload: string | object, key = 'key', url = '/v1/videos/text-to-video') {
  const response = await app.inject({
    method: 'POST',
    url,
    headers: { ...auth, 'content-type': 'application/json', 'idempotency-key': key },
    payload,
  });
  expect(response.statusCode).toBe(200);
  return seen.at(-1)?.idempotency;
}

const hashOf = async (payload: string | object, url?: string) =>
  JSON.stringify((await idempotencyOf(payload, 'key', url))?.hashes);

describe('the Idempotency-Key of a create', () => {
  it('an Idempotency-Key belongs to a project, mode and route', async () => {
    expect((await idempotencyOf({ prompt: 'a' }, 'a-key'))?.scope).toEqual({
      projectId: 'proj_1',
      livemode: true,
      route: 'POST /v1/videos/text-to-video',
      key: 'a-key',
    });
  });

  it.each(['', ' ', 'two words', 'ü', 'a\tb', 'x'.repeat(256)])('the Idempotency-Key %j is refused', async (key) => {
    const { status, json } = await create({ prompt: 'a' }, { 'idempotency-key': key });
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ code: 'invalid_parameter', param: 'Idempotency-Key' });
  });

  it.each(['x', 'x'.repeat(255), '"8e03978e-40d5"', '!~{}'])('the Idempotency-Key %j is accepted', async (key) => {
    expect((await create({ prompt: 'a' }, { 'idempotency-key': key })).status).toBe(200);
  });

  it('the response of a replay has the header Idempotent-Replayed', async () => {
    expect(
      (await create({ prompt: 'a' }, { 'idempotency-key': 'new' })).headers['idempotent-replayed'],
    ).toBeUndefined();
    expect((await create({ prompt: 'a' }, { 'idempotency-key': 'known' })).headers['idempotent-replayed']).toBe('true');
  });
});

describe('two bodies are the same request', () => {
  it.each([
    ['in another order and spacing', '{"seed":7,  "prompt":"a"}'],
    ['with a default written out', { prompt: 'a', seed: 7, duration: 5, resolution: '720p' }],
    ['with null for absent fields', { prompt: 'a', seed: 7, model: null }],
    ['with blanks around the prompt', { prompt: ' a ', seed: 7 }],
    ['with unknown fields', { prompt: 'a', seed: 7, color: 'red' }],
    ['with another spelling of a number', '{"prompt":"a","seed":7.0}'],
  ])('a body %s is the same request', async (_name, body) => {
    expect(await hashOf(body)).toBe(await hashOf({ prompt: 'a', seed: 7 }));
  });

  it('two bodies with the same metadata in another order are the same request', async () => {
    const one = await hashOf({ prompt: 'a', metadata: { a: '1', b: '2' } });
    expect(await hashOf({ prompt: 'a', metadata: { b: '2', a: '1' } })).toBe(one);
  });
});

describe('two bodies are not the same request', () => {
  it.each([
    ['with another prompt', { prompt: 'b', seed: 7 }],
    ['with another seed', { prompt: 'a', seed: 8 }],
    ['without the seed', { prompt: 'a' }],
    ['with another duration', { prompt: 'a', seed: 7, duration: 6 }],
    ['with metadata', { prompt: 'a', seed: 7, metadata: { a: '1' } }],
  ])('a body %s is not the same request', async (_name, body) => {
    expect(await hashOf(body)).not.toBe(await hashOf({ prompt: 'a', seed: 7 }));
  });

  it('two bodies with different images are not the same request', async () => {
    const url = '/v1/videos/image-to-video';
    const image = (content: string) => `data:image/png;base64,${Buffer.from(content).toString('base64')}`;
    const one = await hashOf({ prompt: 'a', image_url: image('one') }, url);
    expect(await hashOf({ prompt: 'a', image_url: image('two') }, url)).not.toBe(one);
    expect(await hashOf({ prompt: 'a', image_url: image('one') }, url)).toBe(one);
  });
});
