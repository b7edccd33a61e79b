import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createKinora, KinoraTaskError, type KinoraVideoOptions } from '@kinora/ai-sdk';
import { type Estimate, Kinora, type Task } from '@kinora/sdk';
import { eventually } from '@kinora/stack/harness/eventually';
import { ampleLimits } from '@kinora/stack/harness/project-limits';
import { startWebhookReceiver } from '@kinora/stack/harness/webhook-receiver';
import {
  APICallError,
  experimental_generateVideo as generateVideo,
  experimental_getVideoStatus as getVideoStatus,
  type JSONValue,
  experimental_startVideo as startVideo,
} from 'ai';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { sizes } from '../integrations/ai-sdk/src/video-size.ts';
import { mediaFolder, save } from './media-folder.ts';
import { ownProject, workerPort } from './own-project.ts';
import { firstFrameSsim, probe } from './probe-video.ts';
import { picture } from './sample-pictures.ts';

const { url } = inject('world');
const ownPort = workerPort();
/** The fields of the video that renders fastest. */
const quick = { resolution: '480x480', duration: 1 } as const;

// Without this, the AI SDK writes warnings to the console.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
const { key, client } = await ownProject('ai-sdk', ampleLimits);
const service = new Kinora({ apiKey: key, baseUrl: url });
const webhookSecret = (await client.get<{ secret: string }>('/v1/webhook-endpoints/callback-secret')).body.secret;
const receiver = await startWebhookReceiver(ownPort);
afterAll(() => receiver.close());

const provider = (settings: Parameters<typeof createKinora>[0] = {}) =>
  createKinora({ apiKey: key, baseURL: url, ...settings });
const model = () => provider().video('animatic');

/** Reads the task id from the metadata that the provider returns. */
const taskIdOf = ({ kinora }: Record<string, JSONValue>) => (kinora as { taskId: string }).taskId;

/** Returns the tasks whose prompt contains this word. */
async function tasksWith(word: string): Promise<Task[]> {
  const found = [];
  for await (const task of service.videos.list({ q: word })) found.push(task);
  return found;
}

describe('generateVideo', () => {
  test('generateVideo makes playable videos from text, one task per video, and returns task id, seed and size', async () => {
    const { videos, warnings, providerMetadata, responses } = await generateVideo({
      model: provider().video(),
      prompt: 'a boat at dusk',
      ...quick,
      n: 2,
      seed: 7,
      providerOptions: { kinora: { metadata: { for: 'ai' } } satisfies KinoraVideoOptions },
    });
    expect(warnings).toEqual([]);
    expect(videos.map(({ mediaType }) => mediaType)).toEqual(['video/mp4', 'video/mp4']);
    const size = { width: 480, height: 480, nb_read_frames: '24' };
    for (const { uint8Array } of videos) {
      expect((await probe(await save(uint8Array, 'mp4'))).streams[0]).toMatchObject(size);
    }
    const about = { model: 'animatic', seed: 7, size: '480x480' };
    const made = providerMetadata.kinora?.videos as { taskId: string }[]; // the provider's own format
    expect(made).toMatchObject([about, { ...about, fps: 24, duration: 1 }]);
    expect(responses[1]).toMatchObject({ modelId: 'animatic', headers: { 'x-request-id': expect.any(String) } });
    const tasks = await tasksWith('dusk');
    expect(tasks.map(({ id }) => id).sort()).toEqual(made.map(({ taskId }) => taskId).sort());
    expect(tasks).toMatchObject([about, { ...about, metadata: { for: 'ai' } }]);
  });

  test('generateVideo animates an image as one task although a response is lost, sends its user agent, and warns about ignored options', async () => {
    const agents: (string | null)[] = [];
    const losesTheFirstResponse: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (!response.url.endsWith('/image-to-video')) return response;
      agents.push(new Headers(init?.headers).get('user-agent'));
      if (agents.length === 1) throw new TypeError('the response was lost');
      return response;
    };
    const image = await picture({ width: 640, height: 480 }, 'png');
    const { video, warnings, providerMetadata } = await generateVideo({
      model: provider({ fetch: losesTheFirstResponse }).video('animatic'),
      prompt: { image, text: 'a lost letter' },
      aspectRatio: 'adaptive',
      duration: 1,
      fps: 30,
      generateAudio: true,
      frameImages: [{ image, frameType: 'last_frame' }],
      providerOptions: { kinora: { resolution: '480p', negative_prompt: 'fog', colour: 'red' } },
    });
    const path = await save(video.uint8Array, 'mp4');
    expect(await firstFrameSsim(path, await save(image, 'png'), { fit: 'crop' })).toBeGreaterThan(0.9);
    expect(providerMetadata.kinora?.videos).toMatchObject([{ size: '640x480' }]);
    const features = warnings.map((warning) => (warning.type === 'unsupported' ? warning.feature : warning.type));
    expect(features.sort()).toEqual(['colour', 'fps', 'frameImages', 'generateAudio', 'negative_prompt', 'other']);
    expect(warnings).toContainEqual({ type: 'other', message: expect.stringMatching(/^prompt_not_understood: /) });
    expect(agents).toEqual([expect.stringMatching(/ai\/7\S* kinora-ai-sdk\/0\.1\.0$/), agents[0]]);
    expect((await tasksWith('letter')).length).toBe(1);
  });

  test('generateVideo throws an error with the task if the task fails', async () => {
    const failing = generateVideo({ model: model(), prompt: '[[fail:engine_rejected_input]] a boat', ...quick });
    const error = await failing.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(KinoraTaskError);
    expect(error).toMatchObject({ code: 'engine_rejected_input', task: { status: 'failed', size: '480x480' } });
  });

  test('generateVideo throws an error with status, code and field if the service refuses the request', async () => {
    const error = await generateVideo({ model: model(), prompt: 'a boat', duration: 11 }).catch((thrown) => thrown);
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      statusCode: 400,
      isRetryable: false,
      url: `${url}/v1/videos/text-to-video`,
      requestBodyValues: { duration: 11 },
      data: { code: 'invalid_parameter', param: 'duration', requestId: expect.any(String) },
    });
    const unknown = generateVideo({ model: provider({ apiKey: `${key}x` }).video(), prompt: 'a boat' });
    await expect(unknown).rejects.toMatchObject({ statusCode: 401, data: { code: 'invalid_api_key' } });
  });

  test('generateVideo cancels the task when it is aborted', async () => {
    const stop = new AbortController();
    const running = generateVideo({
      model: model(),
      prompt: 'a heron [[delay:600]]',
      ...quick,
      abortSignal: stop.signal,
    });
    running.catch(() => undefined); // the rejection is checked below
    await eventually('the task', async () => (await tasksWith('heron'))[0]?.status === 'in_progress');
    stop.abort();
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect(await tasksWith('heron')).toMatchObject([{ status: 'cancelled' }]);
  });

  test('generateVideo leaves no task running if it is aborted before the response to the create arrives', async () => {
    const stop = new AbortController();
    const abortsAtOnce: typeof fetch = (input, init) => {
      const response = fetch(input, init);
      stop.abort();
      return response;
    };
    const running = generateVideo({
      model: provider({ fetch: abortsAtOnce }).video(),
      prompt: 'a stork [[delay:600]]',
      ...quick,
      abortSignal: stop.signal,
    });
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect(await tasksWith('stork')).toMatchObject([{ status: 'cancelled' }]);
  });

  test('generateVideo waits for a webhook, and rejects one whose signature is wrong', async () => {
    const webhookTo = (path: string) => async () => ({
      url: receiver.url(path),
      received: eventually(`a webhook at ${path}`, async () => receiver.received(path)[0] ?? false),
    });
    const { video, providerMetadata } = await generateVideo({
      model: provider({ webhookSecret }).video(),
      prompt: 'a gull',
      ...quick,
      webhook: webhookTo('/ai-sdk'),
    });
    expect((await probe(await save(video.uint8Array, 'mp4'))).streams[0]).toMatchObject({ width: 480 });
    const events = receiver.received('/ai-sdk').map(({ body }) => JSON.parse(body) as { type: string; data: Task });
    expect(events).toMatchObject([{ type: 'video.completed', data: { id: taskIdOf(providerMetadata) } }]);
    // A receiver that parses the body and serialises it again must still be able to verify it.
    for (const { body } of receiver.received('/ai-sdk')) expect(JSON.stringify(JSON.parse(body))).toBe(body);
    const otherSecret = `whsec_${Buffer.from('x'.repeat(32)).toString('base64')}`;
    const forged = generateVideo({
      model: provider({ webhookSecret: otherSecret }).video(),
      prompt: '[[fail:engine_rejected_input]] a gull',
      ...quick,
      webhook: webhookTo('/ai-sdk-forged'),
    });
    await expect(forged).rejects.toMatchObject({ name: 'WebhookVerificationError' });
  });
});

describe('startVideo', () => {
  test('startVideo returns an operation that is enough to get the video, even in another process', async () => {
    const { operation, warnings } = await startVideo({ model: model(), prompt: 'a fox', ...quick, fps: 30 });
    // The second warning comes from the service and is about the prompt. The status below does not repeat it.
    expect(warnings).toMatchObject([{ type: 'unsupported', feature: 'fps' }, { type: 'other' }]);
    const stored = JSON.parse(JSON.stringify(operation));
    const later = provider({ delivery: 'url' }).video();
    const status = await eventually('the video', async () => {
      const now = await getVideoStatus(later, { operation: stored });
      return now.status !== 'pending' && now;
    });
    if (status.status !== 'completed') throw new Error(`the task ended as ${status.status}`);
    expect(status.warnings).toEqual([]);
    const [video] = status.videos;
    if (video?.type !== 'url') throw new Error('there is no URL');
    const bytes = new Uint8Array(await (await fetch(video.url)).arrayBuffer());
    expect((await probe(await save(bytes, 'mp4'))).streams[0]).toMatchObject({ width: 480 });
  });

  test('startVideo cancels the task on abort only if cancelOnAbort is set, and reports a cancelled task as an error', async () => {
    const stop = new AbortController();
    const start = async (kinora: KinoraVideoOptions) => {
      const options = { prompt: 'an owl [[delay:600]]', ...quick, abortSignal: stop.signal };
      return (await startVideo({ model: model(), ...options, providerOptions: { kinora } })).operation;
    };
    const [running, cancelled] = [await start({}), await start({ cancelOnAbort: true })];
    stop.abort();
    const status = await eventually('the cancel', async () => {
      const now = await getVideoStatus(model(), { operation: cancelled });
      return now.status !== 'pending' && now;
    });
    expect(status).toMatchObject({ status: 'error', providerMetadata: { kinora: { status: 'cancelled' } } });
    expect(await getVideoStatus(model(), { operation: running })).toMatchObject({ status: 'pending' });
    await service.videos.cancel((running as { taskId: string }).taskId);
  });
});

test('the provider lists the same video sizes as the service', async () => {
  const listed = Object.entries(sizes).flatMap(([resolution, byRatio]) =>
    Object.entries(byRatio).map(([ratio, size]) => ({ resolution, ratio, size })),
  );
  const estimated = await Promise.all(
    listed.map(async ({ resolution, ratio }) => {
      const fields = { prompt: 'a boat', resolution, aspect_ratio: ratio };
      return (await client.post<Estimate>('/v1/videos/estimate', fields)).body.request.size;
    }),
  );
  expect(estimated).toEqual(listed.map(({ size }) => size));
});

test('the example in the README of the provider runs', async () => {
  const example = new URL('../integrations/ai-sdk/examples/generate-video.ts', import.meta.url).pathname;
  const env = { ...process.env, KINORA_API_KEY: key, KINORA_BASE_URL: url };
  await promisify(execFile)('node', ['--conditions=kinora-source', example], { cwd: mediaFolder, env });
  const video = await probe(join(mediaFolder, 'boat.mp4'));
  expect(video.streams[0]).toMatchObject({ width: 854, height: 480, nb_read_frames: '24' });
});
