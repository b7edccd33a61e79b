import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@kinora/stack/harness/eventually';
import { startLoopbackServer } from '@kinora/stack/harness/loopback-server';
import { ampleLimits, neverRunning } from '@kinora/stack/harness/project-limits';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { environmentFor, folder, kinora, kinoraCommand, startKinora } from './kinora-command.ts';
import { ownProject } from './own-project.ts';
import { probe } from './probe-video.ts';
import { record } from './record-terminal.ts';
import { picture } from './sample-pictures.ts';

const { deadPort } = inject('world');
/** The options for the video that renders fastest. */
const quick = ['--resolution', '480p', '--aspect-ratio', '1:1', '--duration', '1'];
/** What `--help` loads is about 240 kB: the command line and the SDK. */
const mostLoadedBytes = 300_000;
/** Matches a line with a progress bar, in any state. */
const bar =
  /^(waiting|preparing|rendering|finishing|completed) +[█▏▎▍▌▋▊▉░]{24} +\d+ %( {2}position \d+)?( {2}(about \d+ (s|min)|any moment))?$/;

const own = await ownProject('cli', ampleLimits);
/** No task of this project ever starts, so a waiting task always looks the same. */
const still = await ownProject('cli-still', neverRunning);
const environment = environmentFor(own.key);
await writeFile(join(folder, 'picture.png'), await picture({ width: 480, height: 480 }, 'png'));

/** Replaces everything that differs from run to run. A number in a column is replaced by a text of the same width. */
function normalised(screen: string): string {
  return screen
    .replace(/task_[0-9a-z]{26}/g, 'task_…')
    .replace(/ {2}position \d+/g, '')
    .replace(/ {2}(about \d+ (s|min)|any moment)/g, '')
    .replace(/((?:completed|failed|cancelled) +)(\d+)(?= {2})/g, (_, before: string, digits: string) => {
      return `${before}${'#'.padStart(digits.length)}`;
    });
}

/** Removes the progress from a bar, because it depends on the moment of the screenshot. */
function withoutProgress(line: string): string {
  return normalised(line)
    .replace(/[█▏▎▍▌▋▊▉░]/g, '▒')
    .replace(/ *\d+ %/, '  ## %');
}

const snapshot = (name: string) => `snapshots/${name}.txt`;

async function jobsFile(name: string, jobs: readonly object[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, jobs.map((job) => `${JSON.stringify(job)}\n`).join(''));
  return path;
}

describe('kinora generate', () => {
  test('kinora generate draws a progress bar in a terminal and saves a playable file', async () => {
    const recording = record([...kinoraCommand, 'generate', 'a boat at dusk [[delay:2]]', ...quick, '-o', 'boat.mp4'], {
      environment,
      cwd: folder,
    });
    const { code, screen } = await recording.end();
    expect(code).toBe(0);
    const lines = recording.frames.map((frame) => frame.split('\n')[0] ?? '').filter((line) => line !== '');
    for (const line of lines) expect(line).toMatch(bar);
    const percents = lines.map((line) => Number(/(\d+) %/.exec(line)?.[1]));
    expect(percents).toEqual(percents.toSorted((one, other) => one - other));
    const stages = lines.map((line) => line.split(' ')[0] ?? '');
    const seen = ['waiting', 'rendering'].map((stage) => lines[stages.indexOf(stage)] ?? `never ${stage}`);
    const recorded = [...seen.map(withoutProgress), normalised(screen)].join('\n----\n');
    await expect(`${recorded}\n`).toMatchFileSnapshot(snapshot('generate'));
    const { streams } = await probe(join(folder, 'boat.mp4'));
    expect(streams[0]).toMatchObject({ codec_name: 'h264', width: 480, nb_read_frames: '24' });
  });

  test('kinora generate prints progress lines without a terminal, and animates a picture', async () => {
    const ended = await kinora(environment, 'generate', 'zoom in', ...quick, '-i', 'picture.png', '-o', 'zoom.mp4');
    expect(ended).toMatchObject({ code: 0, stdout: 'zoom.mp4\n' });
    const lines = ended.stderr.trimEnd().split('\n');
    for (const line of lines) expect(line).toMatch(/^task_[0-9a-z]{26}: \w+, \d+ %(, position \d+)?$/);
    expect(lines.at(-1)).toContain('completed, 100 %');
    expect((await probe(join(folder, 'zoom.mp4'))).streams[0]).toMatchObject({ nb_read_frames: '24' });
  });

  test('kinora generate prints only the task with --json', async () => {
    const ended = await kinora(environment, 'generate', 'a bird', ...quick, '-o', 'bird.mp4', '--json');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'completed', prompt: 'a bird', saved_as: 'bird.mp4' });
    const second = await kinora(environment, 'generate', 'a bird', ...quick, '-o', 'bird.mp4', '--json');
    expect(second).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(second.stderr)).toMatchObject({ error: { message: expect.stringContaining('--force') } });
  });

  test('kinora generate reports each kind of error with its own exit code and a helpful message', async () => {
    const [failed, wrongKey, noKey, unreachable, unknownOption, invalid] = await Promise.all([
      kinora(environment, 'generate', '[[fail:engine_rejected_input]]', ...quick),
      kinora(environmentFor(`${own.key.slice(0, -1)}_`), 'generate', 'a boat'),
      kinora({ ...environment, KINORA_API_KEY: '' }, 'generate', 'a boat'),
      kinora(environmentFor(own.key, `http://127.0.0.1:${deadPort}`), 'list'),
      kinora(environment, 'generate', 'x', '--speed', '3'),
      kinora(environment, 'generate', 'a boat', '--duration', '11', '--resolution', '480p'),
    ]);
    expect(failed).toMatchObject({ code: 3, stdout: '', stderr: expect.stringMatching(/kinora show task_/) });
    expect(wrongKey).toMatchObject({ code: 5, stderr: expect.stringContaining('KINORA_API_KEY') });
    expect(noKey).toMatchObject({ code: 5, stderr: expect.stringContaining('kinora login') });
    expect(unreachable).toMatchObject({ code: 8, stderr: expect.stringContaining('KINORA_BASE_URL') });
    expect(unknownOption).toMatchObject({ code: 2, stderr: expect.stringContaining("Unknown option '--speed'.") });
    expect(invalid).toMatchObject({ code: 2, stderr: expect.stringContaining('duration') });
  });
});

describe('Ctrl-C during kinora generate', () => {
  const newest = async () => (await still.client.list())[0];

  /** Starts to generate a video, presses Ctrl-C and replies to the question. */
  async function interrupt(keys: string) {
    const recording = record([...kinoraCommand, 'generate', 'a boat', ...quick], {
      environment: environmentFor(still.key),
      cwd: folder,
      columns: 120,
    });
    await recording.waitFor(/waiting/);
    recording.press('\x03');
    await recording.waitFor(/\[y\/N\]/);
    recording.press(keys);
    return recording.end();
  }

  test.each([
    { reply: 'y cancels the task', keys: 'y\r', code: 4, status: 'cancelled', file: 'generate-cancelled' },
    {
      reply: 'n leaves the task running and prints how to find it',
      keys: 'n\r',
      code: 130,
      status: 'queued',
      file: 'generate-left',
    },
  ])('Ctrl-C asks whether to cancel, and $reply', async ({ keys, code, status, file }) => {
    const end = await interrupt(keys);
    expect(end.code).toBe(code);
    await expect(`${normalised(end.screen)}\n`).toMatchFileSnapshot(snapshot(file));
    expect(await newest()).toMatchObject({ status });
  });

  test('Ctrl-C pressed a second time leaves the task running', async () => {
    expect((await interrupt('\x03')).code).toBe(130);
    expect(await newest()).toMatchObject({ status: 'queued' });
  });

  test('Ctrl-C without a terminal leaves the task running without a question', async () => {
    const { pid, ended, written } = startKinora(environmentFor(still.key), 'generate', 'a boat', ...quick);
    await eventually('the task is waiting', async () => written.stderr.includes('waiting'));
    process.kill(pid, 'SIGINT');
    expect(await ended).toMatchObject({ code: 130, stderr: expect.stringMatching(/task_\w+ keeps running/) });
    expect(await newest()).toMatchObject({ status: 'queued' });
  });
});

describe('kinora batch', () => {
  const jobs = [
    { prompt: 'a boat', output: 'boat.mp4', ...smallestVideo },
    { prompt: 'zoom out', output: '船.mp4', image: 'picture.png', ...smallestVideo },
    { prompt: 'a boat at sea [[fail:engine_rejected_input]]', output: 'never.mp4', ...smallestVideo },
    { prompt: 'a bird over the sea', output: 'birds/bird.mp4', ...smallestVideo, speed: 3 },
  ];

  test('kinora batch draws a bar per job and ends with a table; a second run makes only the missing videos', async () => {
    await jobsFile('jobs.jsonl', jobs);
    const run = (columns: number) =>
      record([...kinoraCommand, 'batch', 'jobs.jsonl', '-o', 'out'], { environment, cwd: folder, columns });
    const first = run(80);
    const { code, screen } = await first.end();
    expect(code).toBe(3);
    await expect(`${normalised(screen)}\n`).toMatchFileSnapshot(snapshot('batch'));
    const line = /^(boat|船|never|birds\/bird)\.mp4 +(sending|\w+ +[█▏▎▍▌▋▊▉░]* +\d+ %.*)$/;
    const live = first.frames.filter((frame) => / of 4 done/.test(frame) && !frame.includes('outcome'));
    expect(Math.max(...live.map((frame) => frame.split('\n').filter((one) => line.test(one)).length))).toBe(4);
    for (const one of live.flatMap((frame) => frame.split('\n'))) {
      expect(one).toMatch(/^$|^line 4: speed is not|^\d of 4 done|^(boat|船|never|birds\/bird)\.mp4 /);
    }
    await rm(join(folder, 'out/boat.mp4'));
    const second = await run(60).end();
    expect(second.code).toBe(3);
    await expect(`${normalised(second.screen)}\n`).toMatchFileSnapshot(snapshot('batch-again'));
    const prompts = (await own.client.list()).map(({ prompt }) => prompt);
    const times = jobs.map((job) => prompts.filter((prompt) => prompt === job.prompt).length);
    // The second run downloaded the boat again without a new task, and retried the failed job.
    expect(times).toEqual([1, 1, 2, 1]);
    expect((await stat(join(folder, 'out/boat.mp4'))).size).toBeGreaterThan(0);
  });

  test('kinora batch asks on Ctrl-C, cancels the running jobs, and creates them anew in the next run', async () => {
    await jobsFile('jobs.jsonl', jobs);
    const created = async () => (await still.client.list()).length;
    const before = await created();
    const interrupt = async (reply: string) => {
      const expected = (await created()) + 4;
      const recording = record([...kinoraCommand, 'batch', 'jobs.jsonl', '-o', 'still'], {
        environment: environmentFor(still.key),
        cwd: folder,
      });
      await recording.waitFor(/([^\n]+mp4 +waiting [^\n]*\n){4}/);
      // A job is shown as waiting before its create has reached the service.
      await eventually('all jobs are created', async () => (await created()) === expected);
      recording.press('\x03');
      await recording.waitFor(/\[y\/N\]/);
      recording.press(`${reply}\r`);
      return recording.end();
    };
    const { code, screen } = await interrupt('y');
    expect(code).toBe(4);
    await expect(`${normalised(screen)}\n`).toMatchFileSnapshot(snapshot('batch-cancelled'));
    expect((await interrupt('n')).code).toBe(130);
    const after = await still.client.list();
    const statuses = after.slice(0, after.length - before).map(({ status }) => status);
    expect(statuses).toEqual([...Array(4).fill('queued'), ...Array(4).fill('cancelled')]);
  });

  test('kinora batch waits at the rate limit of the project, and reports each job as JSON', async () => {
    const limited = await ownProject('cli-limited', ['--running', '10', '--creates', '60', '--reads', '60000']);
    const path = join(folder, 'many.csv');
    const rows = Array.from({ length: 12 }, (_, index) => `"a ship, number ${index}",480p,1:1,1\n`);
    await writeFile(path, `prompt,resolution,aspect_ratio,duration\n${rows.join('')}`);
    const ended = await kinora(environmentFor(limited.key), 'batch', path, '-o', 'many', '--at-once', '12', '--json');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const endings = ended.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { outcome: string });
    expect(endings.map(({ outcome }) => outcome)).toEqual(Array(12).fill('completed'));
  });

  test('kinora batch stops at once on an error that would affect every job, and prints how to continue', async () => {
    const path = await jobsFile('refused.jsonl', jobs.slice(0, 1));
    const ended = await kinora(environmentFor(`${own.key.slice(0, -1)}_`), 'batch', path, '-o', 'refused');
    expect(ended).toMatchObject({ code: 5, stderr: expect.stringContaining('Run the same command again') });
    await writeFile(join(folder, 'wrong.jsonl'), '{"prompt": ""}\nnonsense\n{"prompt": "a", "image": "none.png"}\n');
    const wrong = await kinora(environment, 'batch', 'wrong.jsonl');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/line 1: no prompt\n.*line 2: it is not JSON.*\n.*line 3: the picture/);
  });

  test('kinora batch makes exactly 50 videos of 50 jobs although it is killed with -9 halfway and run again', async () => {
    const fifty = await ownProject('cli-fifty', ampleLimits);
    // The last two prompts are the same, but they are two videos.
    const prompts = Array.from({ length: 50 }, (_, index) => `a boat, number ${Math.min(index, 48)}`);
    const path = await jobsFile(
      'fifty.jsonl',
      prompts.map((prompt) => ({ prompt, ...smallestVideo })),
    );
    const args = ['batch', path, '-o', 'fifty', '--at-once', '6'];
    const made = async () =>
      (await readdir(join(folder, 'fifty')).catch(() => [])).filter((name) => name.endsWith('.mp4'));
    const killed = startKinora(environmentFor(fifty.key), ...args);
    await eventually('half of the videos exist', async () => (await made()).length >= 25);
    process.kill(-killed.pid, 'SIGKILL');
    expect((await killed.ended).code).toBeNull();
    expect((await made()).length).toBeLessThan(50);

    const ended = await kinora(environmentFor(fifty.key), ...args);
    expect(ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\d+ completed, \d+ kept, in fifty\n$/),
    });
    const tasks = await fifty.client.list();
    expect(tasks.map(({ status }) => status)).toEqual(Array(50).fill('completed'));
    const files = await readdir(join(folder, 'fifty'));
    expect(files).toHaveLength(50);
    const digests = new Set(tasks.map(({ video }) => video?.size_bytes));
    for (const file of files) expect(digests).toContain((await readFile(join(folder, 'fifty', file))).length);
  });
});

test('kinora --help and kinora list load little code, and list sends one request', async () => {
  const requested: string[] = [];
  const server = await startLoopbackServer((request, response) => {
    requested.push(request.url ?? '');
    response.setHeader('content-type', 'application/json');
    response.end('{"object":"list","data":[],"first_id":null,"last_id":null,"has_more":false}');
  });
  onTestFinished(() => server.close());
  /** Runs the command and returns the size of all files that Node loaded for it. */
  const loadedBytes = async (command: string): Promise<number> => {
    const coverage = join(folder, `coverage ${command}`);
    const ended = await kinora({ ...environmentFor(own.key, server.url), NODE_V8_COVERAGE: coverage }, command);
    expect(ended.code).toBe(0);
    const reports = await Promise.all((await readdir(coverage)).map((name) => readFile(join(coverage, name), 'utf8')));
    const urls = reports.flatMap((report) => (JSON.parse(report) as { result: { url: string }[] }).result);
    const files = urls.flatMap(({ url: address }) => (address.startsWith('file:') ? [new URL(address)] : []));
    return (await Promise.all(files.map((file) => stat(file)))).reduce((sum, { size }) => sum + size, 0);
  };
  // They start fast because they load neither the MCP server nor other code that they do not need: it is about 0.85 MB.
  for (const command of ['--help', 'list']) {
    const bytes = await loadedBytes(command);
    expect([command, bytes > 0, bytes < mostLoadedBytes]).toEqual([command, true, true]);
  }
  expect(requested).toHaveLength(1);
});
