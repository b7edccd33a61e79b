import { execFile, spawn } from 'node:child_process';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { unwrapWebhook } from '@kinora/sdk';
import type { Task } from '@kinora/stack/harness/api-client';
import { closing } from '@kinora/stack/harness/closing';
import { eventually } from '@kinora/stack/harness/eventually';
import { ampleLimits } from '@kinora/stack/harness/project-limits';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { runToEnd, untilRendering } from '@kinora/stack/harness/task-waits';
import { type ReceivedWebhook, startWebhookReceiver } from '@kinora/stack/harness/webhook-receiver';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { Webhook } from 'standardwebhooks';
import { describe, expect, inject, test } from 'vitest';
import { startDroppingProxy } from './dropping-proxy.ts';
import { type Ended, environmentFor, folder, kinora, kinoraCommand, startKinora } from './kinora-command.ts';
import { ownProject, workerPort } from './own-project.ts';
import { probe } from './probe-video.ts';
import { record } from './record-terminal.ts';

const { url, deadPort } = inject('world');
const wrongKey = `kin_test_${'0'.repeat(36)}`;
const unknownTask = 'task_01k9zqv3x4e8rb6t7y2m5n0p1q';

const own = await ownProject('cli-commands', ampleLimits);
const environment = environmentFor(own.key);
const [completed, failed] = await Promise.all([
  runToEnd(own.client, { prompt: 'a boat\n[[fail-once:engine_crashed]] at dusk', ...smallestVideo }),
  runToEnd(own.client, { prompt: '[[fail:engine_rejected_input]] a train', ...smallestVideo }),
]);

/** Runs a command with the project's own key. */
const run = (...args: string[]) => kinora(environment, ...args);
/** Runs a command with another key. */
const runWith = (key: string, ...args: string[]) => kinora(environmentFor(key), ...args);

async function prints(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}
async function json<Value>(...args: string[]): Promise<Value[]> {
  const lines = (await prints('--json', ...args)).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Value);
}

describe('kinora login', () => {
  test('kinora login stores only a key that works, readable only by its owner, and never prints it', async () => {
    const guest = { PATH: environment['PATH'] ?? '', HOME: folder };
    expect(await kinora(guest, 'list')).toMatchObject({ code: 5, stderr: expect.stringContaining('kinora login') });
    const entered = await piped(`${url}\n${own.key}\n`, guest, 'login');
    expect(entered).toMatchObject({ code: 0, stderr: '' });
    const path = join(folder, '.config/kinora/credentials.json');
    expect(entered.stdout).toContain(path);
    const stored = await readFile(path, 'utf8');

    const refused = await piped(`${own.key.slice(0, -1)}_`, guest, 'login', url);
    const unknown = await piped(`${wrongKey}\n`, guest, 'login', url);
    expect([refused.code, unknown.code]).toEqual([2, 5]);
    expect(unknown.stderr).toContain('Nothing was stored.');
    expect(unknown.stderr).not.toContain('kinora login');
    expect(await readFile(path, 'utf8')).toBe(stored);

    await chmod(path, 0o644);
    const repeated = await piped(own.key, guest, '--json', 'login', url);
    expect(JSON.parse(repeated.stdout)).toEqual({ credentials: path, profile: 'default', base_url: url });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    for (const { stdout, stderr } of [entered, refused, unknown, repeated]) {
      expect(stdout + stderr).not.toContain(own.key.slice(9, 30));
    }

    expect((await kinora(guest, 'list')).stdout).toContain(completed.id);
    const overridden = { ...guest, KINORA_API_KEY: wrongKey };
    expect(await kinora(overridden, 'list')).toMatchObject({ code: 5, stdout: '' });
  });

  test('kinora login does not show a key while the user types it, and asks again after a wrong one', async () => {
    const home = join(folder, 'typist');
    await mkdir(home);
    const terminal = record([...kinoraCommand, 'login'], {
      environment: { PATH: environment['PATH'] ?? '', HOME: home },
      cwd: folder,
    });
    await terminal.waitFor(/^Address of the service:/m);
    terminal.press(`${url}\r`);
    await terminal.waitFor(/^Key:/m);
    terminal.press(`${wrongKey}\r`);
    await terminal.waitFor(/^Try again, or press Ctrl-C to leave\.\nKey:/m);
    terminal.press(`${own.key}\r`);
    const { code, screen } = await terminal.end();
    expect(code).toBe(0);
    expect(screen).toContain('Signed in.');
    expect([screen, ...terminal.frames].join('\n')).not.toContain(own.key.slice(9, 20));
    expect(await readFile(join(home, '.config/kinora/credentials.json'), 'utf8')).toContain(own.key);
    const guest = { PATH: environment['PATH'] ?? '', HOME: home };
    expect((await piped(own.key, guest, 'login', url, '--profile', 'other')).code).toBe(0);
    expect(await kinora(guest, 'logout')).toMatchObject({ code: 0, stdout: expect.stringContaining(url) });
    expect((await kinora(guest, 'list')).code).toBe(5);
    expect(await kinora(guest, 'list', '--profile', 'other', '--quiet')).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('tasks', () => {
  test('kinora list prints tasks as a table or as JSON lines', async () => {
    const [head, ...rows] = (await prints('list')).trimEnd().split('\n');
    expect(head).toMatch(/^task +status +size +length +created +prompt$/);
    expect(rows).toHaveLength(2);
    expect(rows.find((row) => row.startsWith(completed.id))).toMatch(
      / {2}completed +480x480 +1 s +\d+ (s|min) ago +a boat \[\[fail-once/,
    );
    expect((await json<Task>('list', '--status', 'failed')).map(({ id }) => id)).toEqual([failed.id]);
    expect(await json<Task>('list', '-n', '1')).toHaveLength(1);
    expect(await prints('list', '--search', 'nothing-like-it')).toBe('No tasks.\n');
    const refused = await run('list', '-n', 'many');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--limit must be a whole number') });
  });

  test('kinora show prints every attempt of a task, and the reason for a failure', async () => {
    const shown = await prints('show', completed.id);
    expect(shown).toMatch(/^status +completed$/m);
    expect(shown).toMatch(/^rendering +2 +\d\d:\d\d:\d\d +\d+\.\d s$/m);
    expect(shown).toMatch(/^ +1 {2}\S+ +\d\d:\d\d:\d\d +\d+\.\d s {2}engine_crashed$/m);
    expect(shown).toMatch(/^ +2 {2}\S+ +\d\d:\d\d:\d\d +\d+\.\d s {2}completed$/m);
    expect(await prints('show', failed.id)).toMatch(/^error +engine_rejected_input: .*Change the prompt/m);
    const [value] = await json<Task & { timeline: { attempts: object[] } }>('show', completed.id);
    expect(value?.timeline.attempts).toHaveLength(2);
    expect(await run('show', unknownTask)).toMatchObject({
      code: 6,
      stdout: '',
      stderr: expect.stringMatching(/There is no task with this id.*\(request req_/s),
    });
  });

  test('a running task can be shown and cancelled but not downloaded', async () => {
    const { id } = await own.client.create({ prompt: 'slow [[delay:600]]', ...smallestVideo });
    await untilRendering(own.client, id);
    const shown = await prints('show', id);
    expect(shown).toMatch(/^status +in_progress, rendering, \d+ %$/m);
    expect(shown).toMatch(/^rendering +1 +\S+ +\d+\.\d s so far$/m);
    expect(shown).toMatch(/–  in progress$/m);
    const early = await run('download', id);
    expect(early).toMatchObject({ code: 6, stderr: expect.stringContaining("isn't ready yet") });

    const several = await run('cancel', failed.id, id, unknownTask);
    expect(several).toMatchObject({ code: 1, stdout: `${id} is cancelled.\n` });
    expect(several.stderr).toMatch(`${failed.id}: The task has already ended with status failed.`);
    expect(several.stderr).toContain(`${unknownTask}: There is no task`);
    expect(await json('cancel', id)).toMatchObject([{ id, status: 'cancelled' }]);
    expect((await run('cancel', completed.id)).code).toBe(1);
  });

  test('a task is downloaded completely, and overwrites an existing file only with --force', async () => {
    const path = join(folder, 'boat.mp4');
    await writeFile(path, 'precious');
    const args = ['download', completed.id, '-o', 'boat.mp4'];
    expect(await run(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
    expect(await readFile(path, 'utf8')).toBe('precious');
    expect(await prints(...args, '--force')).toBe('boat.mp4\n');
    expect((await probe(path)).streams[0]).toMatchObject({ codec_name: 'h264', width: 480, nb_read_frames: '24' });
    const saved = { id: completed.id, variant: 'thumbnail', saved_as: `${completed.id}.jpg` };
    expect(await json('download', completed.id, '--variant', 'thumbnail')).toEqual([saved]);
    expect((await run('download', failed.id)).code).toBe(6);
  });
});

describe('a detached task', () => {
  const quick = ['--resolution', '480p', '--aspect-ratio', '1:1', '--duration', '1'];

  test('a detached task is waited for, written to stdout and deleted', async () => {
    const pairs = ['--metadata', 'shot=7', '--metadata', 'formula=a=b'];
    const made = await run('generate', 'a boat at dusk', ...quick, ...pairs, '--detach');
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^task_[0-9a-z]{26}\n$/) });
    const id = made.stdout.trim();
    expect(await run('wait', id)).toMatchObject({ code: 0, stdout: `${id} is completed.\n` });
    expect(await json('show', id)).toMatchObject([{ metadata: { shot: '7', formula: 'a=b' } }]);
    expect(await json('list', '--metadata', 'shot=7', '--status', 'completed', 'failed')).toMatchObject([{ id }]);

    const line = `${kinoraCommand.join(' ')} download ${id} -o - > piped.mp4`;
    await promisify(execFile)('sh', ['-c', line], { cwd: folder, env: environment });
    await prints('download', id, '-o', 'saved.mp4');
    const [piped, saved] = await Promise.all(['piped.mp4', 'saved.mp4'].map((name) => readFile(join(folder, name))));
    expect(piped?.equals(saved ?? Buffer.alloc(0))).toBe(true);

    expect(await prints('delete', id)).toBe(`${id} is deleted.\n`);
    expect((await run('show', id)).code).toBe(6);
    expect(await run('generate', 'x', '--detach', '-o', 'x.mp4')).toMatchObject({ code: 2, stdout: '' });
  });

  test('--quiet prints the result without the progress', async () => {
    const stdout = `${completed.id} is completed.\n`;
    const stderr = expect.stringContaining('completed, 100 %');
    expect(await run('wait', completed.id)).toMatchObject({ code: 0, stdout, stderr });
    expect(await run('wait', completed.id, '--quiet')).toMatchObject({ code: 0, stdout, stderr: '' });
  });

  test('kinora wait reports every task, and exits with the code of the first error', async () => {
    const ended = await run('--json', 'wait', completed.id, failed.id, unknownTask);
    expect(ended.code).toBe(3);
    expect(linesOf(ended.stdout)).toMatchObject([{ id: completed.id, status: 'completed' }]);
    expect(linesOf(ended.stderr)).toMatchObject([
      { id: failed.id, error: { code: 'engine_rejected_input' }, task: { status: 'failed' } },
      { id: unknownTask, error: { code: 'task_not_found' }, request_id: expect.stringMatching(/^req_/) },
    ]);
  });

  test('kinora estimate shows what a request would make, and creates nothing', async () => {
    const ids = async () => (await own.client.list()).map(({ id }) => id);
    const before = await ids();
    expect(await prints('estimate', 'a unicorn', '--resolution', '480p', '--seed', '7')).toMatch(
      /^video +854x480, 5 s, seed 7$[^]*^warning .*unicorn/m,
    );
    expect(await json('estimate', 'a boat')).toMatchObject([{ object: 'video.estimate', type: 'text_to_video' }]);
    expect(await ids()).toEqual(before);
    const unquoted = await run('estimate', 'a', 'lake');
    expect(unquoted).toMatchObject({ code: 2, stderr: expect.stringContaining('Quote the prompt') });
  });
});

test('kinora webhooks manages endpoints, tests them and shows their deliveries', async () => {
  await using receiver = closing(await startWebhookReceiver(workerPort()));
  const made = await run(
    'webhooks',
    'create',
    receiver.url('/cli'),
    '--events',
    'video.failed',
    '--description',
    'cli',
  );
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_\S+\n$/) });
  const [, id = ''] = /secret of (whk_\w+) is shown/.exec(made.stderr) ?? [];
  expect(await prints('webhooks', 'list')).toMatch(new RegExp(`^${id} +enabled .*video.failed +cli +http`, 'm'));

  receiver.respondWith('/cli', 204, 500);
  expect(await prints('webhooks', 'test', id)).toMatch(/^status +delivered$[^]*^ +1 .* 204/m);
  new Webhook(made.stdout.trim()).verify(
    receiver.received('/cli')[0]?.body ?? '',
    receiver.received('/cli')[0]?.headers ?? {},
  );
  const refused = await run('webhooks', 'test', id);
  expect(refused).toMatchObject({ code: 3, stdout: expect.stringMatching(/^ +1 .* 500 +responded 500$/m) });
  const [, first] = await json<{ id: string; status: string }>('webhooks', 'deliveries', '--endpoint', id);
  expect(first?.status).toBe('delivered');
  expect(await prints('webhooks', 'delivery', first?.id ?? '')).toMatch(/^event +webhook.test, evt_/m);
  receiver.respondWith('/cli', 204);
  expect(await prints('webhooks', 'redeliver', first?.id ?? '')).toMatch(/^status +delivered$/m);

  const rotated = await run('webhooks', 'rotate-secret', id, '--overlap-hours', '0');
  expect(rotated.stdout).toMatch(/^whsec_/);
  expect(rotated.stdout).not.toBe(made.stdout);
  expect(await prints('webhooks', 'update', id, '--status', 'disabled', '--events', 'all')).toBe(
    `${id} is disabled.\n`,
  );
  expect(await json('webhooks', 'list')).toMatchObject([{ id, status: 'disabled', events: [] }]);
  expect((await run('webhooks', 'update', id)).code).toBe(2);
  expect(await prints('webhooks', 'delete', id)).toBe(`${id} is deleted.\n`);
  expect(await prints('webhooks', 'list')).toBe('No webhook endpoints.\n');

  const secret = (await prints('webhooks', 'callback-secret')).trim();
  const task = await run(
    'generate',
    '[[fail:engine_rejected_input]]',
    '-d',
    '--callback-url',
    receiver.url('/callback'),
  );
  const event = await eventually('the callback is called', async () => receiver.received('/callback')[0]);
  const { data } = new Webhook(secret).verify(event.body, event.headers) as EventBody;
  expect(data.id).toBe(task.stdout.trim());
});

describe('the commands for a project', () => {
  test('the commands for a project print its models, limits and usage', async () => {
    expect(await prints('models')).toMatch(/^animatic \(default\) +yes +text, image +480p, 720p, 1080p +1 to 10 +24/m);
    expect(await json('models')).toMatchObject([{ id: 'animatic' }]);
    const limits = await prints('limits');
    expect(limits).toContain('test mode');
    expect(limits).toMatch(/^running +\d+ +10$/m);
    expect(limits).toMatch(/^creates +6000 +\d+ +\d+ +(–|\d+ s)$/m);
    const used = await eventually('the usage is counted', async () => {
      const table = await prints('usage', '--group', 'code');
      return table.includes('engine_rejected_input') && table.includes('no failure') && table;
    });
    expect(used).toMatch(/^day \(UTC\) +code +tasks +completed +failed/);
    expect(used).toMatch(/^total +\d+/m);
    expect(await json('usage', '--by', 'hour')).toMatchObject([{ object: 'list' }]);
  });

  test('kinora keys creates, rotates and revokes keys, and the error for a missing scope names the scope', async () => {
    const made = await run('keys', 'create', 'reads usage', '--scopes', 'usage:read', '--expires-in-days', '2');
    expect(made.stdout).toMatch(/^kin_test_[A-Za-z0-9]{36}\n$/);
    const [, id = ''] = /(key_\w+) is shown/.exec(made.stderr) ?? [];
    const key = made.stdout.trim();
    expect((await runWith(key, 'usage')).code).toBe(0);
    const refused = await runWith(key, 'list');
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('videos:read') });
    expect(await prints('keys', 'list')).toMatch(
      new RegExp(`^${id} +reads usage +….{4} .* until \\S+ .*usage:read$`, 'm'),
    );

    const [issued] = await json<{ id: string; key: string }>('keys', 'rotate', id, '--overlap-hours', '0');
    expect(issued?.key).toMatch(/^kin_test_/);
    expect(await json('keys', 'revoke', issued?.id ?? '')).toMatchObject([{ deleted: true }]);
    const states = await prints('keys', 'list');
    expect(states).toMatch(new RegExp(`^${id} .* expired `, 'm'));
    expect(states).toMatch(new RegExp(`^${issued?.id} .* revoked `, 'm'));
    expect((await run('keys', 'revoke', 'key_none')).code).toBe(6);
    expect((await run('keys', 'create', 'x', '--scopes', 'everything')).code).toBe(2);
  });
});

describe('kinora listen', () => {
  test('kinora listen forwards every event once and signed, although the network breaks and another handler is down', async () => {
    const receiver = await startWebhookReceiver(await findFreePorts(1));
    const proxy = await startDroppingProxy(url, { everyMilliseconds: 1_000, times: Number.POSITIVE_INFINITY });
    const running = new Set<number>();
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    try {
      const listen = (target: string, more: Record<string, string> = {}) => {
        const child = startKinora({ ...environment, ...more }, '--json', 'listen', '--forward-to', target);
        running.add(child.pid);
        void child.ended.then(() => running.delete(child.pid));
        return child;
      };
      const direct = listen(receiver.url('/direct'));
      const broken = listen(receiver.url('/broken'), { KINORA_BASE_URL: proxy.url, KINORA_WEBHOOK_SECRET: secret });
      const down = listen(`http://localhost:${deadPort}/`);
      // A listener gets no events from before it connected, so create tasks until each listener has got an event.
      await eventually('all three listen', async () => {
        await runToEnd(own.client, { prompt: '[[fail:engine_rejected_input]] early', ...smallestVideo });
        const haveReceived = ['/direct', '/broken'].every((path) => receiver.received(path).length > 0);
        return haveReceived && down.written.stdout.includes('video.failed');
      });
      const dropsBefore = proxy.drops();

      const tasks = await Promise.all([
        own.client.create({ prompt: 'a fish [[delay:3]]', ...smallestVideo }),
        own.client.create({ prompt: '[[fail:engine_rejected_input]] a bird', ...smallestVideo }),
        own.client.create({ prompt: 'slow [[delay:600]]', ...smallestVideo }),
      ]);
      const [fish, bird, slow] = tasks.map(({ id }) => id) as [string, string, string]; // three were created
      await untilRendering(own.client, slow);
      await prints('cancel', slow);
      await eventually('the network has broken often enough', async () => proxy.drops() >= dropsBefore + 3);
      const last = await own.client.create({ prompt: 'the last [[fail:engine_rejected_input]]', ...smallestVideo });
      const expected = [
        [fish, 'video.started', 'video.completed'],
        [bird, 'video.started', 'video.failed'],
        [slow, 'video.started', 'video.cancelled'],
        [last.id, 'video.started', 'video.failed'],
      ];
      const ours = new Set(expected.map(([id]) => id));
      const eventsAt = (path: string) => receiver.received(path).filter((one) => ours.has(parse(one).data.id));
      const reported = ({ written }: typeof direct) => written.stdout.split('\n').length - 2;
      await eventually('all events are received and reported', async () => {
        const areReceived = ['/direct', '/broken'].every((path) => eventsAt(path).length >= 8);
        const [one, other] = [direct, broken].map(reported);
        const areReported =
          one === receiver.received('/direct').length && other === receiver.received('/broken').length;
        return areReceived && areReported && down.written.stdout.split(bird).length > 2;
      });

      for (const pid of running) process.kill(pid, 'SIGINT');
      const [one, other, third] = await Promise.all([direct.ended, broken.ended, down.ended]);
      for (const ended of [one, other, third]) expect(ended).toMatchObject({ code: 0, stderr: '' });
      const lines = linesOf(one.stdout);
      const secrets = { '/direct': String(lines[0]?.['secret']), '/broken': secret };
      for (const [path, itsSecret] of Object.entries(secrets)) {
        const received = receiver.received(path);
        for (const webhook of received) {
          new Webhook(itsSecret).verify(webhook.body, webhook.headers);
          const event = await unwrapWebhook(webhook.body, webhook.headers, itsSecret);
          expect(webhook.headers['webhook-id']).toBe(event.id);
        }
        expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(received.length);
        for (const [id, ...types] of expected) {
          const seen = eventsAt(path).filter((webhook) => parse(webhook).data.id === id);
          expect(seen.map((webhook) => parse(webhook).type)).toEqual(types);
        }
      }
      expect(lines.slice(1)).toHaveLength(receiver.received('/direct').length);
      expect(lines).toContainEqual(
        expect.objectContaining({ task: last.id, type: 'video.failed', status: 204, problem: null }),
      );
      expect(linesOf(other.stdout)[0]).toEqual({ forward_to: receiver.url('/broken') });
      const undelivered = linesOf(third.stdout).filter(({ task }) => task === bird);
      expect(undelivered).toHaveLength(2);
      for (const line of undelivered) expect(line).toMatchObject({ status: null, problem: 'connection refused' });
    } finally {
      // End all processes even if an expectation above failed.
      for (const pid of running) process.kill(pid, 'SIGKILL');
      await Promise.all([receiver.close(), proxy.close()]);
    }
  });

  test('kinora listen fails at once if the key does not work or the target is not a URL', async () => {
    const refused = await runWith(wrongKey, 'listen', '--forward-to', 'http://localhost:1/');
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect((await run('listen', '--forward-to', 'localhost:3000')).code).toBe(2);
  });
});

/** Runs a command with this input on its stdin. */
async function piped(input: string, env: Record<string, string>, ...args: string[]): Promise<Ended> {
  const [node = '', main = ''] = kinoraCommand;
  const child = spawn(node, [main, ...args], { cwd: folder, env, stdio: 'pipe' });
  child.stdin.end(input);
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [code, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

interface EventBody {
  type: string;
  data: { id: string };
}

function parse({ body }: ReceivedWebhook): EventBody {
  return JSON.parse(body) as EventBody;
}

function linesOf(output: string): Record<string, unknown>[] {
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
