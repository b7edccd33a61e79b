import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ApiClient, createApiClient, type ErrorBody, type Task } from '@kinora/stack/harness/api-client';
import { eventually } from '@kinora/stack/harness/eventually';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { runToEnd } from '@kinora/stack/harness/task-waits';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Model, ModelList } from '../sdk/src/generated/types.ts';
import { lineOf, type ModelsWorld, readLog, render, startModelsWorld, stubPool, stubShape } from './models-world.ts';

const textToVideo = '/v1/videos/text-to-video';
const square = { prompt: 'A tram in the rain', ...smallestVideo };
const dollars = { currency: 'USD', per_second: { '480p': '0.1' } };

let world: ModelsWorld;
let client: ApiClient;
beforeAll(async () => {
  world = await startModelsWorld(({ fast, away }) => ({
    models: [
      { id: 'fast', name: 'Fast', pool: 'fast', aliases: ['sora-2', 'Some-AI/Fast'], price: dollars, ...stubShape },
      { id: 'away', pool: 'away', ...stubShape, resolutions: ['720p'], aspect_ratios: ['21:9'] },
      { id: 'off', pool: 'fast', enabled: false, ...stubShape },
      { id: 'animatic' },
    ],
    pools: [stubPool('fast', { 'fast-1': fast }), stubPool('away', { 'away-1': away })],
  }));
  client = createApiClient({ url: world.installation.url, key: world.installation.liveKey });
  await untilAvailable('fast', true);
  await untilAvailable('animatic', true);
});
afterAll(() => world?.close());

const models = async (): Promise<Model[]> => (await client.get<ModelList>('/v1/models')).body.data;
const idsOf = (shown: readonly Model[]): string[] => shown.map(({ id }) => id);

const untilAvailable = (id: string, available: boolean) =>
  eventually(`${id} is ${available ? '' : 'not '}available`, async () =>
    (await models()).some((model) => model.id === id && model.available === available),
  );

async function complete(fields: Record<string, unknown>): Promise<Task> {
  const end = await runToEnd(client, fields);
  expect(end).toMatchObject({ status: 'completed', attempt: 1 });
  return end;
}

const refuse = async (fields: Record<string, unknown>) => {
  const { status, body } = await client.post<ErrorBody>(textToVideo, fields);
  return { status, ...body.error };
};

describe('/v1/models', () => {
  test('/v1/models lists the models in the order of the file, with their abilities, prices and availability', async () => {
    const { status, body } = await client.get<ModelList>('/v1/models');
    expect({ status, object: body.object, ids: idsOf(body.data) }).toEqual({
      status: 200,
      object: 'list',
      ids: ['fast', 'away', 'off', 'animatic'],
    });
    expect(body.data[0]).toMatchObject({
      name: 'Fast',
      object: 'model',
      aliases: ['sora-2', 'Some-AI/Fast'],
      available: true,
      capabilities: { ...stubShape, negative_prompt: false },
      price: dollars,
    });
    expect(body.data.map(({ available }) => available)).toEqual([true, false, false, true]);
    expect(JSON.stringify(body)).not.toContain(world.fast.url);
  });

  test('/v1/models returns one model by its id or an alias; any other name gets 404', async () => {
    for (const name of ['fast', 'sora-2', 'Some-AI%2FFast'])
      expect(await client.get(`/v1/models/${name}`)).toMatchObject({ status: 200, body: { id: 'fast' } });
    const unknown = await client.get<ErrorBody>('/v1/models/nobody');
    expect(unknown).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });

  test('/v1/models works with the official OpenAI client', async () => {
    const { liveKey: apiKey, url } = world.installation;
    const openai = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
    const listed: string[] = [];
    for await (const { id } of openai.models.list()) listed.push(id);
    expect(listed).toEqual(['fast', 'away', 'off', 'animatic']);
    expect(await openai.models.retrieve('sora-2')).toMatchObject({ id: 'fast', object: 'model', owned_by: 'kinora' });
  });
});

describe('a create', () => {
  test('a create with an alias is rendered by the model, shows the model id, and costs what the estimate said', async () => {
    const before = world.fast.jobs.length;
    const estimate = await client.post('/v1/videos/estimate', { ...square, model: 'sora-2', duration: 3 });
    // With binary fractions, three times 0.1 would not be exactly 0.3.
    expect(estimate).toMatchObject({
      status: 200,
      body: { request: { model: 'fast' }, price: { amount: '0.3', currency: 'USD' } },
    });
    const end = await complete({ ...square, model: 'sora-2' });
    expect(end).toMatchObject({ model: 'fast', size: '480x480', video: { fps: 16, frame_count: 16 } });
    expect(end.usage).toMatchObject({ billable: true, price: { amount: '0.1', currency: 'USD' } });
    expect(world.fast.jobs.length).toBe(before + 1);
  });

  test('a create without a model is rendered by the first model that can do it', async () => {
    const ends = await Promise.all([
      complete(square),
      complete(square), // with the task of the test above, enough for the measured speeds below
      complete({ ...square, aspect_ratio: '4:3' }),
    ]);
    expect(ends.map(({ model }) => model)).toEqual(['fast', 'fast', 'animatic']);
  });

  test('a create that the named model cannot do gets 400 with what it can do, and with all other problems', async () => {
    const wide = { ...square, model: 'fast', aspect_ratio: '16:9', duration: 4 };
    expect(await refuse(wide)).toMatchObject({
      status: 400,
      code: 'unsupported_combination',
      param: 'aspect_ratio',
      details: [
        { param: 'aspect_ratio', allowed: ['1:1'] },
        { param: 'duration', allowed: [1, 3] },
      ],
    });
    const { details, status } = await refuse({ ...wide, prompt: '', resolution: '4k' });
    expect(status).toBe(400);
    expect(details.map(({ param }) => param)).toEqual(['prompt', 'resolution', 'aspect_ratio', 'duration']);
  });

  test('a create for a disabled model gets 503, and for an unknown model 400 with the known ones', async () => {
    expect(await refuse({ ...square, model: 'off' })).toMatchObject({ status: 503, code: 'no_engine_available' });
    const unknown = await refuse({ ...square, model: 'nobody' });
    expect(unknown).toMatchObject({ status: 400, code: 'unknown_model', param: 'model' });
    expect(unknown.details[0]?.allowed).toEqual(['fast', 'away', 'off', 'animatic']);
  });
});

describe('when the models file changes while everything runs', () => {
  test('a new model in a new pool is listed and renders, and a removed endpoint finishes its jobs and gets no new ones', async () => {
    const { file, later, successor, write } = world;
    const withPool = (endpoints: Parameters<typeof stubPool>[1]) => ({
      models: [...file.models, { id: 'later', pool: 'later', ...stubShape }],
      pools: [...file.pools, stubPool('later', endpoints)],
    });
    await write(render(withPool({ 'later-1': later })));
    await untilAvailable('later', true);
    expect(await complete({ ...square, model: 'later' })).toMatchObject({ model: 'later' });
    expect(later.jobs.length).toBe(1);

    later.jobMilliseconds = 10_000; // longer than a change takes to take effect
    const { task_id: id } = await client.create({ ...square, model: 'later' });
    await eventually('the engine has started the job', async () => later.jobs.length === 2);
    await write(render(withPool({ 'later-2': successor })));
    expect(await complete({ ...square, model: 'later' })).toMatchObject({ model: 'later' });
    expect(successor.jobs.length).toBe(1);
    expect((await client.follow(id)).end).toMatchObject({ status: 'completed', attempt: 1 });
    expect(later.jobs.map(({ end }) => end)).toEqual(['succeeded', 'succeeded']);
    await eventually('the worker has let go of it', async () =>
      readLog(world.installation, 'worker').some(
        ({ event, endpoint }) => event === 'endpoint.removed' && endpoint === 'later-1',
      ),
    );
  });

  test('a models file with problems changes nothing, and every role logs the problems with their lines', async () => {
    const { file, write } = world;
    const before = idsOf(await models());
    const broken = render({ ...file, models: [{ id: 'new', pool: 'nowhere', ...stubShape }, ...file.models] });
    await write(broken);
    const place = `line ${lineOf(broken, '"pool": "nowhere"')}: `;
    for (const role of ['api', 'relay', 'worker'] as const) {
      await eventually(`the ${role} names ${place}`, async () =>
        readLog(world.installation, role).some(({ problems = [] }) =>
          problems.some((problem) => problem.startsWith(place)),
        ),
      );
    }
    expect(idsOf(await models())).toEqual(before);
    expect(await complete(square)).toMatchObject({ model: 'fast' });
    await write(render(file));
  });
});

describe('kinora-server engines', () => {
  test('kinora-server engines check prints every endpoint as a table or as JSON, and exits with 1 while one is down', async () => {
    const table = await world.command(['engines', 'check']);
    expect(table.code).toBe(1);
    const [head, ...rows] = table.stdout.trim().split('\n');
    expect(head).toMatch(/^ENDPOINT +POOL +ENGINE +HEALTH +VERSION +MODELS +LATENCY +SLOTS +STATE$/);
    expect(rows).toEqual([
      expect.stringMatching(/^animatic +animatic +animatic +ok .* accepting$/),
      expect.stringMatching(/^fast-1 +fast +animatic +ok .* 0\/1 busy +accepting$/),
      expect.stringMatching(
        /^away-1 +away +animatic +its health check failed: .*ECONNREFUSED.* not accepting: it does not/,
      ),
    ]);
    await world.away.revive();
    const { code, stdout } = await world.command(['engines', 'check', '--json']);
    const reports = stdout.split('\n').map((line) => JSON.parse(line) as { endpoint: string; health: string });
    const verdicts = reports.map(({ endpoint, health }) => `${endpoint} ${health}`);
    expect({ code, verdicts }).toEqual({ code: 0, verdicts: ['animatic ok', 'fast-1 ok', 'away-1 ok'] });
    await untilAvailable('away', true);
  });

  test('kinora-server engines drain keeps new tasks waiting, with their queue positions, until resume', async () => {
    expect(await world.command(['engines', 'drain', 'fast-1'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('fast-1 is drained'),
    });
    await untilAvailable('fast', false);
    const before = world.fast.jobs.length;
    const waiting = [await client.create(square), await client.create(square)];
    await eventually('both tasks show their queue position', async () => {
      const tasks = await Promise.all(waiting.map(({ task_id: id }) => client.read(id)));
      return tasks.every(({ queue_position: place }, index) => place === index + 1);
    });
    const { stdout } = await world.command(['engines', 'check']);
    expect(stdout).toMatch(/^fast-1 .* drained by an operator since /m);
    expect(world.fast.jobs.length).toBe(before);
    expect(await client.read(waiting[0]?.task_id ?? '')).toMatchObject({ status: 'queued', started_at: null });

    expect(await world.command(['engines', 'resume', 'fast-1'])).toMatchObject({ code: 0 });
    for (const { task_id: id } of waiting)
      expect((await client.follow(id)).end).toMatchObject({ status: 'completed', attempt: 1 });
  });

  test('kinora-server engines drain with an unknown endpoint is an error that lists the endpoints', async () => {
    expect(await world.command(['engines', 'drain', 'nonsense'])).toMatchObject({
      code: 1,
      stderr: 'Endpoint nonsense not found. Known endpoints: animatic, fast-1, away-1.\n',
    });
  });
});

test('kinora-server start with a broken models file exits with 1 and lists each problem with its line', async () => {
  const { file, fast, installation, command } = world;
  const broken = render({
    models: [{ id: 'wrong', pool: 'fats', ...stubShape, fps: 'many' }, ...file.models],
    pools: [stubPool('fast', { 'fast-1': fast, 'fast-2': fast }), ...file.pools.slice(1)],
  });
  const path = join(dirname(installation.environment['KINORA_MODELS_FILE'] ?? ''), 'broken.yaml');
  await writeFile(path, broken);
  const { code, stderr } = await command(['start', '--roles', 'api'], { KINORA_MODELS_FILE: path });
  expect(code).toBe(1);
  expect(stderr).toContain(`- broken.yaml line ${lineOf(broken, '"fps": "many"')}: model wrong: fps must be a whole`);
  expect(stderr).toContain(
    `- broken.yaml line ${lineOf(broken, '"id": "fast-2"') + 1}: pool fast: another endpoint has`,
  );
  expect(stderr).not.toContain('    at ');
});

test('the model and the estimate show how long tasks took', async () => {
  const fast = await eventually(
    'the model is measured',
    async () => (await models()).find(({ id, speeds }) => id === 'fast' && speeds.length > 0),
    { everyMilliseconds: 500 },
  );
  const [speed] = fast.speeds;
  expect(speed).toMatchObject({ resolution: '480p', duration: 1 });
  expect(speed?.samples).toBeGreaterThanOrEqual(3);
  expect(speed?.p50_seconds).toBeGreaterThanOrEqual(0.4);
  // The service measures again every few seconds, so it may do so between the two reads.
  await eventually('the estimate is the measured time', async () => {
    const { body } = await client.post<{ expected_seconds: number }>('/v1/videos/estimate', square);
    const [now] = (await models()).find(({ id }) => id === 'fast')?.speeds ?? [];
    return body.expected_seconds === now?.p50_seconds;
  });
});
