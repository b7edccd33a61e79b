import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorBody, Task } from '@kinora/stack/harness/api-client';
import { eventually } from '@kinora/stack/harness/eventually';
import { eventOf, readLogLines } from '@kinora/stack/harness/log-lines';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { runToEnd, untilRendering } from '@kinora/stack/harness/task-waits';
import { findStack } from '@kinora/stack/parts/stack';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { engineStatus, untilEngineIdle } from './engine-status.ts';
import { command, commandOutcome } from './operator-command.ts';
import { clientFor, ownProject } from './own-project.ts';

const world = inject('world');
const textToVideo = '/v1/videos/text-to-video';
const prompt = 'Zanzibar-quokka-4711: a ferry leaves the harbour';
const small = { prompt, ...smallestVideo };
/** Renders long enough for a command to start and change it, even on a busy machine. */
const held = { ...small, prompt: `${prompt} [[delay:45]]` };
/** Renders longer than any test takes: if the engine becomes idle, the job was cancelled. */
const endless = { ...small, prompt: `${prompt} [[delay:600]]` };

interface ShownTask {
  id: string;
  status: string;
  workflow: string;
  attempts: { attempt: number }[];
}

const show = async (taskId: string) => JSON.parse(await command('tasks', 'show', taskId)) as ShownTask;

async function metric(url: string, name: string, ...labels: string[]): Promise<number | null> {
  const text = await (await fetch(url)).text();
  const line = text
    .split('\n')
    .find((candidate) => candidate.startsWith(name) && labels.every((label) => candidate.includes(label)));
  return line === undefined ? null : Number(line.slice(line.lastIndexOf(' ') + 1));
}

const leasedSlots = () => metric(world.relayMetricsUrl, 'kinora_endpoint_slots', 'state="leased"');

async function listed(projectId: string) {
  const lines = (await command('projects', 'list')).split('\n');
  const project = lines
    .map((line) => JSON.parse(line) as { id: string; use: unknown })
    .find(({ id }) => id === projectId);
  if (!project) throw new Error(`projects list does not show ${projectId}`);
  return project;
}

beforeAll(() => untilEngineIdle());

describe('projects', () => {
  test('projects are created with the default limits, are listed with their use, and can be changed limit by limit', async () => {
    const { id } = JSON.parse(await command('projects', 'create', 'a new customer')) as { id: string };
    const defaults = {
      runningLimit: 2,
      waitingLimit: 100,
      createsPerMinute: 60,
      readsPerMinute: 600,
      storageLimitBytes: 100_000_000_000,
      filesLimit: 10_000,
      weight: 1,
      isSuspended: false,
    };
    const idle = ['test', 'live'].map((mode) => ({ mode, running: 0, waiting: 0, storedBytes: 0, files: 0 }));
    expect(await listed(id)).toMatchObject({
      id,
      name: 'a new customer',
      ...defaults,
      use: expect.arrayContaining(idle),
    });
    const changed = JSON.parse(
      await command('projects', 'set', id, '--weight', '2.5', '--storage', '0.5', '--files', '7'),
    ) as object;
    expect(changed).toMatchObject({ ...defaults, weight: 2.5, storageLimitBytes: 500_000_000, filesLimit: 7 });
  });

  test.each([
    [
      'a project that does not exist',
      ['projects', 'set', 'proj_00000000000000000000000000', '--running', '1'],
      'not found',
    ],
    ['a limit that is not a number', ['projects', 'set', 'proj_1', '--running', 'many'], 'whole number'],
    ['--cancel without --suspend', ['projects', 'set', 'proj_1', '--cancel'], '--suspend'],
    ['a task that does not exist', ['tasks', 'show', 'task_1'], 'no task'],
    ['a key that does not exist', ['keys', 'revoke', 'key_1'], 'no API key'],
  ])('%s is refused with a message and no stack trace', async (_, args, words) => {
    const { code, stderr } = await commandOutcome(args);
    expect(code).toBe(1);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('    at ');
  });

  test('a project with --running 1 runs one task at a time, in order of creation, although the engine has more slots', async () => {
    expect((await engineStatus()).slots).toBeGreaterThan(1);
    const own = await ownProject('one at a time', ['--running', '1', '--creates', '6000']);
    const created: Task[] = [];
    for (const fields of [endless, small, small]) created.push(await own.client.create(fields));
    const [first] = created;
    expect(await listed(own.projectId)).toMatchObject({
      use: expect.arrayContaining([expect.objectContaining({ mode: 'test', running: 1, waiting: 2 })]),
    });
    await own.client.cancel(first?.task_id ?? '');
    const ends = await Promise.all(created.map(async ({ task_id: id }) => (await own.client.follow(id)).end));
    expect(ends.map(({ status }) => status)).toEqual(['cancelled', 'completed', 'completed']);
    for (const [index, end] of ends.slice(1).entries()) {
      expect(end.started_at).toBeGreaterThanOrEqual(ends[index]?.completed_at ?? Number.POSITIVE_INFINITY);
    }
  });

  test('a suspended project gets 403; its running tasks finish, and its waiting tasks wait until --resume', async () => {
    const own = await ownProject('suspended', ['--running', '1']);
    const runs = await own.client.create(held);
    const waits = await own.client.create(small);
    await untilRendering(own.client, runs.task_id);
    await own.set('--suspend');
    const responses = await Promise.all([
      own.client.post<ErrorBody>(textToVideo, small),
      own.client.get<ErrorBody>(`/v1/videos/${runs.task_id}`),
    ]);
    for (const { status, body } of responses) {
      expect({ status, code: body.error.code }).toEqual({ status: 403, code: 'project_suspended' });
    }
    // Each look starts a process, and the API does not show the task before --resume.
    const hasCompleted = async () => (await show(runs.task_id)).status === 'completed';
    await eventually('the running task completes', hasCompleted, { everyMilliseconds: 2_000 });
    expect(await show(waits.task_id)).toMatchObject({ status: 'queued', workflow: 'missing', attempts: [] });
    await own.set('--resume');
    expect((await own.client.follow(waits.task_id)).end.status).toBe('completed');
  });

  test('--suspend --cancel cancels running and waiting tasks', async () => {
    const own = await ownProject('suspended for good', ['--running', '1']);
    const runs = await own.client.create(endless);
    const waits = await own.client.create(small);
    await untilRendering(own.client, runs.task_id);
    expect(await own.set('--suspend', '--cancel')).toContain('2 tasks cancelled');
    await own.set('--resume');
    for (const { task_id: id } of [runs, waits]) {
      expect(await own.client.read(id)).toMatchObject({
        status: 'cancelled',
        is_final: true,
        video: null,
        usage: { billable: false },
      });
    }
    await untilEngineIdle();
  });
});

describe('tasks', () => {
  test('a cancelled task stops at the engine and frees its slot, and can be retried as a new task', async () => {
    const client = clientFor(world.testKey);
    const task = await client.create({ ...endless, seed: 99 });
    await untilRendering(client, task.task_id);
    await eventually('the metrics show the slot as leased', async () => (await leasedSlots()) === 1);
    const { submits } = await engineStatus();
    expect(await command('tasks', 'cancel', task.task_id)).toContain('is cancelled');
    await untilEngineIdle();
    const cancelled = await client.read(task.task_id);
    expect(cancelled).toMatchObject({ status: 'cancelled', is_final: true, video_url: null, error: null });
    expect(cancelled.usage?.engine_seconds).toBeGreaterThan(0);
    await eventually('the slot is free', async () => (await leasedSlots()) === 0);

    expect(await command('tasks', 'cancel', task.task_id)).toContain('is cancelled');
    const retried = JSON.parse(await command('tasks', 'retry', task.task_id)) as { task_id: string };
    expect(retried.task_id).not.toBe(task.task_id);
    const { resolution, aspect_ratio, duration, size } = task;
    expect(await client.read(retried.task_id)).toMatchObject({
      seed: 99,
      prompt: endless.prompt,
      resolution,
      aspect_ratio,
      duration,
      size,
      is_final: false,
    });
    expect(await client.read(task.task_id)).toMatchObject({ status: 'cancelled' });
    await command('tasks', 'cancel', retried.task_id);
    await untilEngineIdle();
    expect((await engineStatus()).submits).toBeLessThanOrEqual(submits + 1);
  });

  test('kinora-server tasks show prints the attempts and the workflow but not the prompt; a completed task cannot be cancelled', async () => {
    const client = clientFor(world.testKey);
    const { id, video } = await runToEnd(client, small);
    const shown = await eventually('the workflow has ended', async () => {
      const now = await show(id);
      return now.workflow === 'completed' && now;
    });
    expect(shown).toMatchObject({ id, status: 'completed', attempts: [{ attempt: 1 }] });
    expect(JSON.stringify(shown)).not.toContain('quokka');
    expect(await commandOutcome(['tasks', 'cancel', id])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('completed'),
    });
    expect(await client.read(id)).toMatchObject({ status: 'completed', video: { sha256: video?.sha256 } });
  });
});

describe('maintenance', () => {
  test('migrating an up-to-date schema changes nothing, even if two processes do it at once', async () => {
    const printed = await Promise.all([command('migrate'), command('migrate')]);
    expect(printed).toEqual(['The schema is up to date.', 'The schema is up to date.']);
  });

  test('a namespace is registered in Temporal unless it exists', async () => {
    expect(await command('namespace', 'ensure')).toBe('The namespace kinora exists.');
    const environment = { ...world.environment, KINORA_TEMPORAL_NAMESPACE: 'another' };
    expect(await commandOutcome(['namespace', 'ensure'], environment)).toMatchObject({
      code: 0,
      stdout: 'The namespace another was registered.',
    });
  });

  describe('the database', () => {
    const database = new pg.Client({ connectionString: world.environment['KINORA_DATABASE_URL'] });
    beforeAll(() => database.connect());
    afterAll(() => database.end());

    test('every id that belongs to a project carries its shard', async () => {
      const { rows: columns } = await database.query<{ table: string; column: string }>(
        `select table_name as table, column_name as column from information_schema.columns one
         join pg_class on oid = table_name::regclass and not relispartition and relkind in ('r', 'p')
         where table_schema = 'public' and data_type = 'uuid' and column_name not in ('project_id', 'person_id')
           and exists (select from information_schema.columns other
             where other.table_name = one.table_name and other.column_name = 'project_id')`,
      );
      const shardOf = (id: string) => `substring(('x' || translate(${id}::text, '-', ''))::bit(128) from 54 for 10)`;
      const found: { place: string; all: number; wrong: number }[] = [];
      for (const { table, column } of columns) {
        const { rows } = await database.query<{ all: number; wrong: number }>(
          `select count(${column})::int as all, count(*) filter (where ${shardOf(column)} <> ${shardOf('project_id')})::int as wrong
           from ${table}`,
        );
        for (const counted of rows) found.push({ place: `${table}.${column}`, ...counted });
      }
      expect(found.filter(({ wrong }) => wrong !== 0)).toEqual([]);
      const filled = found.filter(({ all }) => all !== 0).map(({ place }) => place);
      expect(filled).toEqual(expect.arrayContaining(['api_keys.id', 'audit_events.id', 'events.id', 'tasks.id']));
    });

    test('a dry run of the reconciler reports findings and changes nothing; the relay repairs and counts them', async () => {
      const { projectId } = await ownProject('miscounted');
      expect(await eventually('a clean run', () => cleanRun())).toBe('0 findings, nothing changed');
      const miscounted = () => metric(world.relayMetricsUrl, 'kinora_reconciler_findings_total', 'kind="miscounted"');
      const countedBefore = Number(await miscounted());
      // The relay is paused, so that it does not repair the count before the dry run has found it.
      process.kill(world.rolePids.relay, 'SIGSTOP');
      try {
        await database.query(
          `update project_slots set waiting = 5 from projects
           where projects.id = project_id and name = 'miscounted' and not livemode`,
        );
        const lines = (await command('reconcile', '--dry-run')).split('\n');
        expect(lines.at(-1)).toBe('1 finding, nothing changed');
        expect(JSON.parse(lines[0] ?? '')).toMatchObject({
          kind: 'miscounted',
          projectId,
          livemode: false,
          before: { running: 0, waiting: 5 },
          after: { running: 0, waiting: 0 },
        });
        expect(await listed(projectId)).toMatchObject({
          use: expect.arrayContaining([expect.objectContaining({ mode: 'test', running: 0, waiting: 5 })]),
        });
      } finally {
        process.kill(world.rolePids.relay, 'SIGCONT');
      }
      await eventually('the finding is counted', async () => Number(await miscounted()) > countedBefore);
      expect(await listed(projectId)).toMatchObject({
        use: expect.arrayContaining([expect.objectContaining({ mode: 'test', running: 0, waiting: 0 })]),
      });
    });
  });

  async function cleanRun(): Promise<string | null> {
    const printed = await command('reconcile', '--dry-run');
    return printed.includes('\n') ? null : printed;
  }
});

describe('monitoring', () => {
  test('/metrics on the private port has route times, outbox age and slots; the public port has no metrics', async () => {
    const client = clientFor(world.testKey);
    const route = ['route="/v1/videos/:task_id"', 'method="GET"', 'status="404"'];
    await client.get('/v1/videos/nothing');
    expect(await metric(world.apiMetricsUrl, 'kinora_http_request_duration_seconds_count', ...route)).toBeGreaterThan(
      0,
    );
    expect(
      await metric(world.apiMetricsUrl, 'kinora_http_request_duration_seconds_bucket', ...route, 'le="+Inf"'),
    ).toBeGreaterThan(0);
    expect(await metric(world.relayMetricsUrl, 'kinora_outbox_oldest_age_seconds')).toBeGreaterThanOrEqual(0);
    const slots = await Promise.all(
      ['leased', 'free'].map((state) => metric(world.relayMetricsUrl, 'kinora_endpoint_slots', `state="${state}"`)),
    );
    expect((slots[0] ?? 0) + (slots[1] ?? 0)).toBe((await engineStatus()).slots);
    expect((await client.get('/metrics')).status).toBe(404);
  });

  test('logs are JSON lines that never contain a prompt, a key or a signed URL', () => {
    const folder = findStack(world.stackName)?.info.folder ?? '';
    for (const role of ['api', 'relay', 'worker', 'animatic']) {
      const text = readFileSync(join(folder, `${role}.log`), 'utf8');
      const lines = text.trim().split('\n');
      const broken = lines.filter((line) => !line.startsWith('{"'));
      expect({ role, broken }).toEqual({ role, broken: [] });
      const secrets = ['quokka', world.testKey, world.liveKey, 'signature='];
      expect({ role, leaked: secrets.filter((secret) => text.includes(secret)) }).toEqual({ role, leaked: [] });
      const unnamed = lines.filter((line) => eventOf(line) === null);
      expect({ role, unnamed }).toEqual({ role, unnamed: [] });
    }
  });

  test('a shutdown is logged when its signal arrives and when it is complete', () => {
    const path = join(findStack(world.stackName)?.info.folder ?? '', 'relay.log');
    // The relay of these walks was stopped once, to get metrics of its own.
    const stops = readLogLines(readFileSync(path, 'utf8')).filter(({ event }) => event.startsWith('process.'));
    expect(stops).toMatchObject([
      { level: 30, event: 'process.stopping', signal: 'SIGTERM' },
      { level: 30, event: 'process.stopped', seconds: expect.any(Number) },
    ]);
  });

  test('an ordinary task leaves a trail with durations in the log of the worker', async () => {
    const client = clientFor(world.testKey);
    const { task_id: taskId } = await client.create({ prompt: 'A trail in the snow', ...smallestVideo });
    expect((await client.follow(taskId)).end).toMatchObject({ status: 'completed' });
    const path = join(findStack(world.stackName)?.info.folder ?? '', 'worker.log');
    const trail = () => readLogLines(readFileSync(path, 'utf8')).filter((line) => line['taskId'] === taskId);
    const seconds = expect.any(Number);
    // The caller may see the end a moment before the worker logs it.
    await eventually('the worker has logged the end', async () => trail().length === 4);
    expect(trail()).toMatchObject([
      { level: 30, event: 'attempt.begun', attempt: 1, queuedSeconds: seconds },
      { level: 30, event: 'job.submitted', attempt: 1, jobId: expect.any(String), submitSeconds: seconds },
      { level: 30, event: 'job.rendered', attempt: 1, engineSeconds: seconds },
      { level: 30, event: 'task.completed', attempt: 1, finishSeconds: seconds, totalSeconds: seconds },
    ]);
  });
});
