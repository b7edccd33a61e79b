import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { download, type Task } from '@kinora/stack/harness/api-client';
import { closing } from '@kinora/stack/harness/closing';
import { eventually } from '@kinora/stack/harness/eventually';
import { ampleLimits } from '@kinora/stack/harness/project-limits';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import {
  type CallToolResult,
  Client,
  type ContentBlock,
  type Progress,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { readOpenapi } from './described-responses.ts';
import { kinoraCommand } from './kinora-command.ts';
import { mediaFolder, save } from './media-folder.ts';
import { ownProject } from './own-project.ts';
import { probe } from './probe-video.ts';
import { picture } from './sample-pictures.ts';

const { url } = inject('world');
const [node = '', main = ''] = kinoraCommand;

const own = await ownProject('mcp', ampleLimits);
const saveFolder = join(mediaFolder, 'saved by an assistant');
const server = (key: string) => ({
  command: node,
  args: [main, 'mcp', '--picture-folder', mediaFolder, '--save-folder', saveFolder],
  env: { KINORA_BASE_URL: url, KINORA_API_KEY: key, XDG_CONFIG_HOME: '/nonexistent' },
});

/** Connects an MCP host to a server of its own. Today's hosts use the protocol of 2025 (`legacy`). */
async function connect(key: string, mode: 'legacy' | { pin: string } = 'legacy'): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: 'e2e', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport(server(key)));
  return closing(client);
}

const host = await connect(own.key);
afterAll(() => host.close());

/** A busy machine may need longer than a host and the tools usually wait. */
const patient = { timeout: hangLimitMilliseconds };
const untilEnd = { wait_seconds: hangLimitMilliseconds / 1000 };
const call = (name: string, fields: Record<string, unknown> = {}): Promise<CallToolResult> =>
  host.callTool({ name, arguments: fields }, patient);
const textOf = ({ content }: CallToolResult) => content.map((block) => ('text' in block ? block.text : '')).join('');
const taskOf = ({ structuredContent }: CallToolResult) => structuredContent as Task; // the MCP client has checked it
const block = <Type extends ContentBlock['type']>({ content }: CallToolResult, type: Type) =>
  content.find((one): one is Extract<ContentBlock, { type: Type }> => one.type === type);

test.each(['legacy', { pin: '2026-07-28' }] as const)(
  'with the protocol %o, the schemas of the tools are valid and match the OpenAPI document',
  async (mode) => {
    await using client = await connect(own.key, mode);
    const { tools } = await client.listTools();
    const ajv = new Ajv2020({ allErrors: true, validateFormats: false });
    for (const { inputSchema, outputSchema } of tools) {
      expect(ajv.validateSchema(inputSchema)).toBe(true);
      expect(outputSchema && ajv.validateSchema(outputSchema as object)).toBe(true);
    }
    const schemas = (await readOpenapi()).components.schemas as Record<
      string,
      { properties?: Record<string, { $ref?: string }> }
    >;
    /** A field of a create, with what it refers to. */
    const contractOf = (field: string) => {
      const { $ref, ...described } = schemas['ImageToVideoRequest']?.properties?.[field] ?? {};
      return { ...($ref === undefined ? {} : schemas[$ref.split('/').at(-1) ?? '']), ...described };
    };
    const offered: Record<string, unknown> =
      tools.find(({ name }) => name === 'generate_video')?.inputSchema.properties ?? {};
    const shared = 'prompt resolution aspect_ratio duration seed model negative_prompt image_fit';
    for (const field of shared.split(' ')) {
      expect(offered[field]).toEqual(contractOf(field));
    }
  },
);

describe('generate_video', () => {
  test('generate_video reports progress, and returns a playable video with a thumbnail', async () => {
    const reported: Progress[] = [];
    const client = await connect(own.key);
    onTestFinished(() => client.close());
    // The client drops the last progress for `onprogress` if the result arrives together with it.
    client.setNotificationHandler('notifications/progress', ({ params }) => void reported.push(params));
    const result = await client.callTool(
      {
        name: 'generate_video',
        arguments: { prompt: 'a boat at dusk', negative_prompt: 'rain', ...smallestVideo, ...untilEnd },
      },
      { ...patient, onprogress: () => undefined },
    );
    expect(result.isError).toBeFalsy();
    expect(reported.length).toBeGreaterThan(1);
    expect(reported.at(-1)).toMatchObject({ progress: 100, total: 100, message: 'completed' });
    for (const [index, { progress }] of reported.entries())
      expect(progress).toBeGreaterThan(reported[index - 1]?.progress ?? -1);

    const task = taskOf(result);
    expect(task).toMatchObject({ status: 'completed', prompt: 'a boat at dusk', size: '480x480' });
    // The built-in engine cannot use a negative prompt, so the result contains a warning.
    expect(textOf(result)).toContain(`Warning: ${task.warnings[0]?.message}`);
    const link = block(result, 'resource_link');
    expect(link).toMatchObject({ mimeType: 'video/mp4' });
    const { bytes } = await download(link?.uri ?? null);
    expect(bytes.length).toBe(link?.size);
    expect((await probe(await save(bytes, 'mp4'))).streams[0]).toMatchObject({ width: 480, nb_read_frames: '24' });
    const thumbnail = block(result, 'image');
    expect(thumbnail?.mimeType).toBe('image/jpeg');
    const jpeg = await probe(await save(Buffer.from(thumbnail?.data ?? '', 'base64'), 'jpg'));
    expect(jpeg.streams[0]).toMatchObject({ codec_name: 'mjpeg' });

    expect(block(await call('get_video', { task_id: task.task_id }), 'resource_link')?.size).toBe(link?.size);
    const { contents } = await host.readResource({ uri: `kinora://videos/${task.task_id}` });
    const [resource] = contents.map((content) => ('text' in content ? content.text : ''));
    expect(JSON.parse(resource ?? '')).toMatchObject({ id: task.task_id, video: { size_bytes: link?.size } });
  });

  test('generate_video animates a picture on this computer, and wait_for_video waits until the task has completed', async () => {
    const image = await save(await picture({ width: 480, height: 480 }, 'png'), 'png');
    const begun = await call('generate_video', { prompt: 'zoom in', image, wait_seconds: 0, ...smallestVideo });
    expect(taskOf(begun)).toMatchObject({ type: 'image_to_video', is_final: false });
    expect(textOf(begun)).toContain('Call wait_for_video');
    const done = await call('wait_for_video', { task_id: taskOf(begun).task_id, ...untilEnd });
    expect(taskOf(done)).toMatchObject({ task_id: taskOf(begun).task_id, status: 'completed' });
    expect(block(done, 'resource_link')).toBeDefined();
  });

  test('generate_video cancels its task if the user stops the call, but not on a timeout or if wait_for_video is stopped', async () => {
    const slow = { ...smallestVideo, prompt: 'a train [[delay:600]]' };
    const waitedFor = taskOf(await call('generate_video', { ...slow, seed: 2, wait_seconds: 0 }));
    // What the host sends when its own limit is over.
    const timeout = new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out');
    const [stoppedWait, timedOut] = await Promise.all([
      stopCall('wait_for_video', { task_id: waitedFor.task_id }),
      stopCall('generate_video', { ...slow, seed: 3 }, timeout),
    ]);
    expect(String(stoppedWait)).toContain('pressed stop');
    expect(timedOut).toBe(timeout);

    const stopped = await stopCall('generate_video', { ...slow, seed: 1 });
    expect(String(stopped)).toContain('pressed stop');
    await eventually('the task is cancelled', async () => (await bySeed(1))?.status === 'cancelled');
    // If the two others had been cancelled too, the cancels would have arrived by now.
    for (const seed of [2, 3]) {
      const task = await eventually('the task exists', () => bySeed(seed));
      expect(task.is_final).toBe(false);
      expect(taskOf(await call('cancel_video', { task_id: task.task_id }))).toMatchObject({ status: 'cancelled' });
    }
  });
});

test('save_video saves the MP4 in the folder that the user named, and never twice under one name', async () => {
  const begun = await call('generate_video', { prompt: 'a boat [[delay:15]]', wait_seconds: 0, ...smallestVideo });
  const { task_id: taskId } = taskOf(begun);
  const early = await call('save_video', { task_id: taskId });
  expect(early.isError).toBe(true);
  expect(textOf(early)).toContain('Call wait_for_video');
  const link = block(await call('wait_for_video', { task_id: taskId, ...untilEnd }), 'resource_link');

  const saved = await call('save_video', { task_id: taskId, file_name: 'paper boat' });
  const path = join(saveFolder, 'paper boat.mp4');
  expect(saved.structuredContent).toEqual({ task_id: taskId, path, size_bytes: link?.size });
  expect((await readFile(path)).equals((await download(link?.uri ?? null)).bytes)).toBe(true);

  for (const [name, words] of [
    ['paper boat.mp4', 'already exists'],
    ['../paper boat.mp4', 'is not a plain name'],
  ] as const) {
    const refused = await call('save_video', { task_id: taskId, file_name: name });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain(words);
  }
  expect(textOf(await call('save_video', { task_id: taskId }))).toContain(`${taskId}.mp4`);
  expect((await readdir(saveFolder)).toSorted()).toEqual(['paper boat.mp4', `${taskId}.mp4`]);
});

/** Calls a tool, stops the call at its first progress report, and returns the error that it ends with. */
async function stopCall(
  name: string,
  fields: Record<string, unknown>,
  reason: unknown = 'the user pressed stop',
): Promise<unknown> {
  const stop = new AbortController();
  const onprogress = () => stop.abort(reason);
  return host
    .callTool({ name, arguments: fields }, { ...patient, signal: stop.signal, onprogress })
    .catch((error: unknown) => error);
}

async function bySeed(seed: number): Promise<Task | undefined> {
  const { videos } = (await call('list_videos', { q: 'train' })).structuredContent as { videos: Task[] };
  return videos.find((task) => task.seed === seed);
}

test('list_videos returns pages, and describe_models lists the models', async () => {
  const first = (await call('list_videos', { limit: 1 })).structuredContent as { videos: Task[]; next_after: string };
  const second = (await call('list_videos', { limit: 1, after: first.next_after })).structuredContent;
  expect(first.videos).toHaveLength(1);
  expect(second).toMatchObject({ videos: [{ task_id: expect.not.stringMatching(first.next_after) }] });
  expect(textOf(await call('describe_models'))).toContain('animatic');
});

describe('errors of tools', () => {
  test.each([
    ['generate_video', { prompt: 'a boat', duration: 11 }, 'duration must be at most 10'],
    ['generate_video', { prompt: 'a boat', aspect_ratio: '2:1' }, 'aspect_ratio must be one of 16:9'],
    ['generate_video', { prompt: ' ' }, 'prompt must not be empty'],
    [
      'generate_video',
      { prompt: 'a boat', image: import.meta.filename },
      'is not in a folder that the user has shared',
    ],
    [
      'generate_video',
      { prompt: '[[fail:engine_rejected_input]]', ...smallestVideo, ...untilEnd },
      'engine_rejected_input',
    ],
    ['wait_for_video', { task_id: 'task_none' }, 'There is no task with this id.'],
    ['cancel_video', {}, 'task_id is required'],
  ])('%s %j returns an error result', async (name, fields, words) => {
    const result = await call(name, fields);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(words);
    expect(textOf(result)).not.toMatch(/kin_test_|node:|\.js:/);
  });

  test('a refused key gives an error result that names the problem but not the key', async () => {
    await using client = await connect('kin_test_wrong');
    const result = await client.callTool({ name: 'describe_models', arguments: {} });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('KINORA_API_KEY');
    expect(textOf(result)).not.toContain('kin_test_wrong');
  });
});

test('stdout carries only the protocol, and when stdin closes the server exits while its task keeps running', async () => {
  const { command, args, env } = server(own.key);
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let written = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text;
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'e2e', version: '1' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  send({ method: 'notifications/initialized' });
  const fields = { ...smallestVideo, prompt: 'a train [[delay:600]]', seed: 4 };
  const params = { name: 'generate_video', arguments: fields, _meta: { progressToken: 'p' } };
  send({ id: 2, method: 'tools/call', params });
  await eventually('the server reports progress', async () => written.includes('notifications/progress'));
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
  for (const line of written.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  const task = await bySeed(4);
  expect(task?.is_final).toBe(false);
  await call('cancel_video', { task_id: task?.task_id });
});
