import { type ApiClient, createApiClient, type ErrorBody, type Task } from '@kinora/stack/harness/api-client';
import { type Installation, startInstallation } from '@kinora/stack/harness/installation';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { runToEnd, untilRendering } from '@kinora/stack/harness/task-waits';
import type { Stack } from '@kinora/stack/parts/stack';
import { startTemporaryStack } from '@kinora/stack/parts/temporary-stack';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { untilEngineIdle } from './engine-status.ts';
import { command } from './operator-command.ts';
import { clientFor } from './own-project.ts';

const { testKey, liveKey } = inject('world');
const textToVideo = '/v1/videos/text-to-video';
const codes = [
  'engine_unavailable',
  'engine_out_of_memory',
  'engine_rejected_input',
  'engine_crashed',
  'engine_lost',
  'generation_stalled',
  'deadline_exceeded',
  'output_invalid',
  'output_rejected',
  'storage_failed',
  'internal_error',
];

const own = clientFor(testKey);

const forced = (directive: string) => ({ ...smallestVideo, prompt: `A pier ${directive} in the fog` });
const endOf = (directive: string, client: ApiClient = own) => runToEnd(client, forced(directive));

/** Returns how each attempt of a task ended. */
const outcomesOf = async ({ id }: Task, client: ApiClient = own) =>
  (await client.timeline(id)).attempts.map(({ outcome }) => outcome);

describe.concurrent('in test mode, a directive in the prompt forces its outcome', () => {
  // The service makes up to three attempts for these failures of an engine; all other failures are final at once.
  const retried = ['engine_out_of_memory', 'engine_crashed', 'engine_lost', 'generation_stalled', 'output_invalid'];

  test.each(codes)('[[fail:%s]] makes the task fail with this code', async (code) => {
    const end = await endOf(`[[fail:${code}]]`);
    expect(end).toMatchObject({ status: 'failed', livemode: false, error: { code }, video: null });
    expect(end.usage).toMatchObject({ billable: false, video_seconds: 0 });
    expect(end.attempt).toBe(retried.includes(code) ? 3 : 1);
    expect(await outcomesOf(end)).toEqual(Array.from({ length: end.attempt }, () => code));
  });

  test.each(retried)('[[fail-once:%s]] fails the first attempt, and the second one completes', async (code) => {
    const end = await endOf(`[[fail-once:${code}]]`);
    expect(end).toMatchObject({ status: 'completed', attempt: 2, error: null });
    expect(await outcomesOf(end)).toEqual([code, 'completed']);
  });

  test('[[fail-once:engine_unavailable]] refuses the job once, as a busy engine would, and the task then completes', async () => {
    const end = await endOf('[[fail-once:engine_unavailable]]');
    expect(end).toMatchObject({ status: 'completed', attempt: 2 });
    expect(await outcomesOf(end)).toEqual(['refused', 'completed']);
  });

  test('[[fail-once:storage_failed]] fails the task at once, because that failure is not retried', async () => {
    expect(await endOf('[[fail-once:storage_failed]]')).toMatchObject({
      status: 'failed',
      attempt: 1,
      error: { code: 'storage_failed', stage: 'finishing' },
    });
  });

  test('[[delay:SECONDS]] makes the task render that much longer, with progress 0 during the delay', async () => {
    const { task_id: id } = await own.create(forced('[[delay:3]]'));
    const { all, end } = await own.follow(id);
    expect(end).toMatchObject({ status: 'completed', attempt: 1 });
    expect(end.usage?.engine_seconds).toBeGreaterThanOrEqual(3);
    expect(all.filter(({ stage, progress }) => stage === 'rendering' && progress === 0)).not.toEqual([]);
  });

  test('[[delay:SECONDS]] and [[fail:CODE]] make the task fail after the delay', async () => {
    const end = await endOf('[[delay:1.5]] and [[fail:output_rejected]]');
    expect(end).toMatchObject({ status: 'failed', error: { code: 'output_rejected', retryable: false } });
    expect(end.usage?.engine_seconds).toBeGreaterThanOrEqual(1.5);
  });

  test('[[lose]] makes the engine forget the job in each of three attempts', async () => {
    const end = await endOf('[[lose]]');
    expect(end).toMatchObject({ status: 'failed', attempt: 3, error: { code: 'engine_lost' } });
    expect(await outcomesOf(end)).toEqual(['engine_lost', 'engine_lost', 'engine_lost']);
  });

  test('[[stall]] lets the task run without progress, and a cancel frees the engine', async () => {
    const { task_id: id } = await own.create(forced('[[stall]]'));
    await untilRendering(own, id);
    await command('tasks', 'cancel', id);
    expect(await own.read(id)).toMatchObject({ status: 'cancelled', progress: 0 });
    expect(await endOf('')).toMatchObject({ status: 'completed' });
  });
});

test('an invalid directive is refused at the create, with the allowed values', async () => {
  const refused = async (prompt: string) => {
    const { status, body } = await own.post<ErrorBody>(textToVideo, { ...smallestVideo, prompt });
    expect({ status, code: body.error.code, param: body.error.param }).toEqual({
      status: 400,
      code: 'invalid_parameter',
      param: 'prompt',
    });
    return body.error.details[0];
  };
  expect((await refused('[[fail:coffee]]'))?.allowed?.toSorted()).toEqual(codes.toSorted());
  expect((await refused('[[delay:601]]'))?.allowed).toEqual([0, 600]);
  expect((await refused('[[stall'))?.allowed).toHaveLength(5);
});

test('in live mode a directive is ordinary text', async () => {
  const live = clientFor(liveKey);
  const ends = await Promise.all(['[[fail:engine_crashed]]', '[[fail:coffee]]'].map((text) => endOf(text, live)));
  const warnings = expect.arrayContaining([expect.objectContaining({ code: 'ignored_directive' })]);
  const completed = { status: 'completed', livemode: true, attempt: 1, warnings };
  expect(ends).toMatchObject([completed, completed]);
});

describe('if an attempt may take at most 10 s', () => {
  let stack: Stack;
  let installation: Installation;
  beforeAll(async () => {
    stack = await startTemporaryStack('stalled');
    installation = await startInstallation({ stack, environment: { KINORA_ATTEMPT_LIMIT_SECONDS: '10' } });
  });
  afterAll(async () => {
    await installation?.close();
    await stack?.wipe();
  });

  const untilIdle = () => untilEngineIdle(installation.environment['KINORA_ANIMATIC_URL']);
  const clientOf = ({ url, testKey: key }: Installation) => createApiClient({ url, key });

  test('[[stall]] ends in deadline_exceeded, and the engine becomes idle', async () => {
    const end = await endOf('[[stall]]', clientOf(installation));
    expect(end).toMatchObject({
      status: 'failed',
      attempt: 1,
      error: { code: 'deadline_exceeded', stage: 'rendering' },
    });
    expect(end.usage?.engine_seconds).toBeGreaterThanOrEqual(10);
    await untilIdle();
  });

  test('[[stall]] ends in generation_stalled after three attempts if a job may make no progress for 3 s', async () => {
    await installation.stop('worker');
    await installation.start('worker', { KINORA_STALL_SECONDS: '3', KINORA_ATTEMPT_LIMIT_SECONDS: '600' });
    const client = clientOf(installation);
    const end = await endOf('[[stall]]', client);
    const stalled = { code: 'generation_stalled', stage: 'rendering', retryable: true };
    expect(end).toMatchObject({ status: 'failed', attempt: 3, progress: 0, error: stalled });
    expect(end.usage?.engine_seconds).toBeGreaterThanOrEqual(9);
    expect(await outcomesOf(end, client)).toEqual(Array.from({ length: 3 }, () => 'generation_stalled'));
    await untilIdle();
    // On a busy machine a real job too may make no progress for 3 s or take 10 s, so a patient worker gets it.
    await installation.stop('worker');
    await installation.start('worker', { KINORA_ATTEMPT_LIMIT_SECONDS: '600' });
    // A forced stall does not count as a failure of the engine.
    expect(await endOf('', client)).toMatchObject({ status: 'completed', attempt: 1 });
  });
});
