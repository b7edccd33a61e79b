import { download } from '@kinora/stack/harness/api-client';
import { eventually } from '@kinora/stack/harness/eventually';
import { ampleLimits, neverRunning } from '@kinora/stack/harness/project-limits';
import OpenAI, { toFile } from 'openai';
import { describe, expect, inject, test } from 'vitest';
import { ownProject } from './own-project.ts';
import { picture } from './sample-pictures.ts';

// Uses the unmodified official client with Kinora: what works here works for programs that use that client.

const { url, waitingKey } = inject('world');
const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
/** The video that renders fastest. The casts are needed because the client's types list another service's sizes. */
const quick = { model: 'animatic', seconds: '1' as '4', size: '480x480' as '720x1280' };

const own = await ownProject('openai-npm', ampleLimits);
const client = clientOf(own.key);

const poll = (id: string): Promise<OpenAI.Video> =>
  eventually(`${id} ends`, async () => {
    const { data, response } = await client.videos.retrieve(id).withResponse();
    if (data.status !== 'queued' && data.status !== 'in_progress') return data;
    // The polling helpers of the client in other languages use this header.
    expect(Number(response.headers.get('openai-poll-after-ms'))).toBeGreaterThanOrEqual(2000);
    return null;
  });

test('the client can create, retrieve, download and delete a video from text', async () => {
  const created = await client.videos.create({ prompt: 'a paper boat', ...quick });
  expect(created).toMatchObject({
    object: 'video',
    status: 'queued',
    progress: 0,
    model: 'animatic',
    seconds: '1',
    size: '480x480',
    prompt: 'a paper boat',
    completed_at: null,
    error: null,
  });
  const video = await poll(created.id);
  expect(video).toMatchObject({ id: created.id, status: 'completed', progress: 100 });
  expect(video.completed_at).toBeGreaterThanOrEqual(created.created_at);
  expect(video.expires_at).toBeGreaterThan(video.completed_at ?? 0);

  const content = await client.videos.downloadContent(created.id);
  const bytes = Buffer.from(await content.arrayBuffer());
  const task = await own.client.read(created.id);
  expect(bytes).toEqual((await download(task.video_url)).bytes);
  expect(content.headers.get('content-type')).toBe('video/mp4');
  const thumbnail = await client.videos.downloadContent(created.id, { variant: 'thumbnail' });
  expect(Buffer.from(await thumbnail.arrayBuffer())).toEqual((await download(task.video?.thumbnail_url ?? null)).bytes);

  expect(await client.videos.delete(created.id)).toMatchObject({
    id: created.id,
    object: 'video.deleted',
    deleted: true,
  });
  await expect(client.videos.retrieve(created.id)).rejects.toMatchObject({ status: 410, code: 'task_deleted' });
});

describe('a video from an image', () => {
  test('the client can send an image as a file in the request', async () => {
    const image = await picture({ width: 640, height: 480 }, 'png');
    const created = await client.videos.create({
      prompt: 'the camera moves in',
      ...quick,
      input_reference: await toFile(image, 'boat.png', { type: 'image/png' }),
    });
    const task = await own.client.read(created.id);
    expect(task).toMatchObject({ type: 'image_to_video', image: { width: 640, height: 480, fit: 'crop' } });
    expect((await poll(created.id)).status).toBe('completed');
  });

  test('the client can send an image as an uploaded file or a data URI', async () => {
    const image = await picture({ width: 640, height: 480 }, 'jpg');
    const file = await client.files.create({ file: await toFile(image, 'boat.jpg'), purpose: 'vision' });
    expect(file).toMatchObject({ object: 'file', filename: 'boat.jpg' });
    expect(await client.files.retrieve(file.id)).toEqual(file);
    const [byId, inline] = await Promise.all([
      client.videos.create({ prompt: 'it moves', ...quick, input_reference: { file_id: file.id } }),
      client.videos.create({
        prompt: 'it moves',
        ...quick,
        input_reference: { image_url: `data:image/jpeg;base64,${image.toString('base64')}` },
      }),
    ]);
    const tasks = await Promise.all([own.client.read(byId.id), own.client.read(inline.id)]);
    expect(tasks[0].image).toMatchObject({ width: 640, height: 480 });
    expect(tasks[1].image).toEqual(tasks[0].image);
    expect(await client.files.delete(file.id)).toMatchObject({ id: file.id, deleted: true });
    expect((await poll(byId.id)).status).toBe('completed');
  });
});

test('the client can list videos page by page', async () => {
  const waiting = await ownProject('openai-npm-list', neverRunning);
  const lister = clientOf(waiting.key);
  const ids: string[] = [];
  for (const prompt of ['one', 'two', 'three', 'four', 'five'])
    ids.push((await lister.videos.create({ prompt, ...quick })).id);
  const seen: string[] = [];
  for await (const video of lister.videos.list({ limit: 2 })) seen.push(video.id);
  expect(seen).toEqual(ids.toReversed());
  const page = await lister.videos.list({ limit: 3, order: 'asc' });
  expect(page.data.map(({ id }) => id)).toEqual(ids.slice(0, 3));
  expect(page.hasNextPage()).toBe(true);
  expect((await page.getNextPage()).data.map(({ id }) => id)).toEqual(ids.slice(3));
});

describe('errors', () => {
  async function failure(work: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
    const error = await work.then(
      () => null,
      (reason: unknown) => reason,
    );
    if (error instanceof OpenAI.APIError) return error;
    throw new Error('the client did not throw an APIError', { cause: error });
  }

  test("a wrong key throws the client's own error class", async () => {
    const error = await failure(clientOf('kin_test_wrong').videos.create({ prompt: 'a boat' }));
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(error).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'authentication_error' });
    expect(error.requestID).toMatch(/^req_/);
  });

  test("an unknown video, and operations that Kinora does not have, throw the client's own error class", async () => {
    const error = await failure(client.videos.retrieve('video_123'));
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(error.code).toBe('task_not_found');
    expect(await failure(client.videos.remix('video_123', { prompt: 'again' }))).toBeInstanceOf(OpenAI.NotFoundError);
    expect(await failure(client.videos.getCharacter('one'))).toBeInstanceOf(OpenAI.NotFoundError);
  });

  test("a wrong parameter throws the client's own error class", async () => {
    const wrong = { prompt: 'a boat', size: '1x1' as '720x1280' };
    const error = await failure(client.videos.create(wrong));
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ code: 'invalid_parameter', param: 'size' });
    expect(error.message).toContain('854x480');
    const image = await toFile(Buffer.from('not an image'), 'boat.png');
    expect(await failure(client.videos.create({ prompt: 'a boat', input_reference: image }))).toMatchObject({
      code: 'image_unsupported_format',
      param: 'input_reference',
    });
    expect(await failure(client.videos.create({ prompt: 'a boat', model: 'sora-2' }))).toMatchObject({
      code: 'unknown_model',
      param: 'model',
    });
  });

  test("too many requests throw the client's own error class", async () => {
    const limited = await ownProject('openai-npm-limited', ['--running', '0', '--waiting', '1']);
    const one = clientOf(limited.key);
    await one.videos.create({ prompt: 'a boat', ...quick });
    const error = await failure(one.videos.create({ prompt: 'a boat', ...quick }));
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error.code).toBe('too_many_waiting_tasks');
  });
});

test('two requests with one Idempotency-Key make one video, even with a file', async () => {
  const waiting = clientOf(waitingKey);
  const image = await picture({ width: 640, height: 480 }, 'png');
  const create = async (prompt: string) =>
    waiting.videos.create(
      { prompt, ...quick, input_reference: await toFile(image, 'boat.png') },
      { headers: { 'Idempotency-Key': 'boat-1' } },
    );
  const first = await create('a boat');
  expect((await create('a boat')).id).toBe(first.id);
  await expect(create('a ship')).rejects.toMatchObject({ status: 422, code: 'idempotency_key_reused' });
});

test('an unknown field and an adjusted size are reported as warnings', async () => {
  const body = { prompt: 'a boat', size: '1024x1792' as const, quality: 'high', metadata: { a: 'b' } };
  const video = (await clientOf(waitingKey).videos.create(body)) as OpenAI.Video & {
    warnings: { code: string; param: string }[];
    metadata: Record<string, string>;
  };
  expect(video.size).toBe('1080x1920');
  expect(video.metadata).toEqual({ a: 'b' });
  expect(video.warnings.map(({ code, param }) => `${code} ${param}`)).toEqual([
    'size_adjusted size',
    'unknown_parameter quality',
  ]);
});
