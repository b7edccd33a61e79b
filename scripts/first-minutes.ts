import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { createApiClient, download } from '@kinora/stack/harness/api-client';
import { runToEnd } from '@kinora/stack/harness/task-waits';
import { openBrowser } from '../e2e/open-browser.ts';

// Does what README.md tells a newcomer, in an empty clone of this commit and while another program has port 8080: setup,
// `npm ci`, `npm run dev`. Then it opens the console, becomes its operator, and makes a video. It fails if one of these does
// not work, however long it takes. With `--empty-cache` nothing is there that an earlier setup or npm has stored.

const root = resolve(import.meta.dirname, '..');
const { values } = parseArgs({ options: { 'empty-cache': { type: 'boolean', default: false } } });
const folder = await mkdtemp(join(tmpdir(), 'kinora-first-minutes-'));
const clone = join(folder, 'clone');
const environment = newcomersEnvironment();

// If another program has the port already, that is as good.
const stranger = createServer().listen(8080, '127.0.0.1');
await Promise.race([once(stranger, 'listening'), once(stranger, 'error').catch(() => null)]);
let dev: ChildProcess | null = null;
try {
  await run('git', ['clone', '--quiet', root, clone], root);
  await run('scripts/setup', ['--sizes']);
  await run('npm', ['ci', '--no-audit', '--no-fund']);
  await run('du', ['-sh', 'node_modules']);
  dev = spawn('npm', ['run', 'dev'], {
    cwd: clone,
    env: environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const operatorLink = await untilGreeted(dev);
  const { url, testKey } = JSON.parse(readFileSync(join(clone, '.stack/dev.json'), 'utf8')) as DevFile;
  if (new URL(url).port === '8080') throw new Error('the API is on port 8080, which another program has');
  await becomeOperator(operatorLink);
  await makeVideo(url, testKey);
  console.log('1 passed, 0 failed');
} catch (error) {
  console.error(error);
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
} finally {
  if (dev) await stop(dev);
  stranger.close();
  await rm(folder, { recursive: true, force: true });
}

interface DevFile {
  url: string;
  testKey: string;
}

/** Leaves out the tools of this clone and its settings. */
function newcomersEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !/^(?:KINORA_|NODE_OPTIONS$)/.test(name));
  const path = (process.env['PATH'] ?? '').split(':').filter((entry) => !entry.startsWith(`${root}/`));
  const empty = { XDG_CACHE_HOME: join(folder, 'cache'), npm_config_cache: join(folder, 'npm') };
  return { ...Object.fromEntries(entries), PATH: path.join(':'), ...(values['empty-cache'] ? empty : {}) };
}

async function run(command: string, args: string[], cwd = clone): Promise<void> {
  const startedAt = performance.now();
  const child = spawn(command, args, { cwd, env: environment, stdio: ['ignore', 'inherit', 'inherit'] });
  const [status] = (await once(child, 'exit')) as [number | null];
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
  console.log(`first minutes: ${command} ${args[0]} took ${Math.round((performance.now() - startedAt) / 1000)} s`);
}

/** Waits until `npm run dev` says that it runs, as long as it says anything, and returns the link that it shows. */
function untilGreeted(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the output of npm run dev cannot be read');
  const lines = createInterface({ input: child.stdout });
  return new Promise((found, fail) => {
    let link = '';
    const silence = setTimeout(() => fail(new Error('npm run dev says nothing more')), hangLimitMilliseconds);
    lines.on('line', (line) => {
      console.log(line);
      silence.refresh();
      link ||= /^ +console +(http\S+#token=\S+)$/.exec(line)?.[1] ?? '';
      if (link && line.includes('Ctrl-C stops everything')) found(link);
    });
    child.once('exit', (status) => fail(new Error(`npm run dev ended with ${status}`)));
    void Promise.race([once(lines, 'close'), once(child, 'exit')]).then(() => clearTimeout(silence));
  });
}

async function becomeOperator(link: string): Promise<void> {
  await using browser = await openBrowser();
  const page = await browser.newPage();
  page.setDefaultTimeout(hangLimitMilliseconds);
  await page.goto(link);
  await page.getByLabel('Your name').fill('Nora Newcomer');
  await page.getByLabel('E-mail address').fill('nora@example.com');
  await page.getByLabel('Password', { exact: true }).fill('ten minutes and a paper boat');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.waitForURL(/\/p\//);
  await page.locator('main h1').first().waitFor();
  console.log(`first minutes: the console shows "${await page.title()}" at ${page.url()}`);
}

async function makeVideo(url: string, key: string): Promise<void> {
  const client = createApiClient({ url, key });
  const task = await runToEnd(client, { prompt: 'a paper boat on a quiet lake at dawn', duration: 3 });
  if (task.status !== 'completed') throw new Error(`the task is ${task.status}: ${JSON.stringify(task.error)}`);
  const { bytes, contentType } = await download(task.video_url);
  if (contentType !== 'video/mp4' || bytes.toString('latin1', 4, 8) !== 'ftyp') throw new Error('the video is no MP4');
  console.log(`first minutes: made a video of ${bytes.length} bytes`);
}

/** Presses Ctrl-C: the signal goes to the whole group. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.pid !== undefined) {
    process.kill(-child.pid, 'SIGINT');
    await once(child, 'exit');
  }
  await run('scripts/stack', ['wipe']);
}
