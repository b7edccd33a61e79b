import { type ChildProcess, execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createApiClient } from '@kinora/stack/harness/api-client';
import { type LogLine, readLogLine } from '@kinora/stack/harness/log-lines';
import { sampleImage } from '@kinora/stack/harness/sample-image';
import { testFolder } from '@kinora/stack/harness/test-folder';
import { type ContainerImage, childrenOf, openImage, startInImage } from '@kinora/stack/parts/container-image';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { startTemporaryStack } from '@kinora/stack/parts/temporary-stack';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// Builds the images and runs every role from them, as Docker would with a read-only root and no capabilities.

const run = promisify(execFile);
const roles = ['animatic', 'worker', 'relay', 'api', 'console'] as const;
type Role = (typeof roles)[number];
const readyEvents = {
  animatic: 'animatic.listening',
  worker: 'worker.polling',
  relay: 'relay.started',
  api: 'api.listening',
  console: 'console.listening',
};

const folder = testFolder();
const cleanup = new AsyncDisposableStack();
let images: Record<'server' | 'animatic', ContainerImage>;
let environment: Record<string, string>;
let url: string;
let consoleUrl: string;
const privatePorts = {} as Record<Role, number>;
const running = {} as Record<Role, ChildProcess>;
const logs = {} as Record<Role, LogLine[]>;

beforeAll(async () => {
  images = { server: await openImage('server'), animatic: await openImage('animatic') };
  const stack = await startTemporaryStack('images');
  cleanup.defer(() => stack.wipe());
  const port = await findFreePorts(roles.length + 2);
  for (const [index, role] of roles.entries()) privatePorts[role] = port + index;
  const [apiPort, consolePort] = [port + roles.length, port + roles.length + 1];
  url = `http://127.0.0.1:${apiPort}`;
  consoleUrl = `http://127.0.0.1:${consolePort}`;
  environment = {
    KINORA_SECRET_KEYS: randomBytes(32).toString('base64'),
    KINORA_PUBLIC_URL: url,
    KINORA_PORT: String(apiPort),
    KINORA_CONSOLE_URL: consoleUrl,
    KINORA_CONSOLE_PORT: String(consolePort),
    KINORA_DRAIN_SECONDS: '0',
    KINORA_ANIMATIC_PORT: String(privatePorts.animatic),
    KINORA_ANIMATIC_URL: `http://127.0.0.1:${privatePorts.animatic}`,
    ...stack.environment,
  };
});
afterAll(() => cleanup.disposeAsync());

const imageOf = (role: Role) => (role === 'animatic' ? images.animatic : images.server);
/** Settings of one role. The animatic gets no secret. */
const environmentOf = (role: Role): Record<string, string> =>
  role === 'animatic'
    ? { KINORA_ANIMATIC_PORT: String(privatePorts.animatic) }
    : { ...environment, KINORA_PRIVATE_PORT: String(privatePorts[role]) };

/** Runs a program in an image until it ends. */
async function runInImage(image: ContainerImage, options: Parameters<typeof startInImage>[1]) {
  const child = startInImage(image, options);
  child.stdin?.end();
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout as NonNullable<ChildProcess['stdout']>),
    text(child.stderr as NonNullable<ChildProcess['stderr']>),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

const checkHealth = (role: Role) =>
  runInImage(imageOf(role), { entrypoint: imageOf(role).healthCommand, command: [], environment: environmentOf(role) });

async function command(...words: string[]): Promise<Record<string, string>> {
  const { code, stdout, stderr } = await runInImage(images.server, { command: words, environment });
  expect([words, code, stderr]).toEqual([words, 0, '']);
  return (stdout.startsWith('{') ? JSON.parse(stdout) : {}) as Record<string, string>;
}

/** Starts a role with a scratch folder of its own, and waits until it logs that it is ready. */
async function start(role: Role): Promise<void> {
  const scratch = mkdtempSync(join(folder, `${role}-`));
  chownSync(scratch, 10_001, 10_001);
  const child = startInImage(imageOf(role), {
    ...(role === 'animatic' ? {} : { command: ['start', '--roles', role] }),
    environment: environmentOf(role),
    writable: [{ folder: scratch, at: '/var/tmp/kinora' }],
  });
  running[role] = child;
  logs[role] = [];
  const output: string[] = [];
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream as NonNullable<ChildProcess['stdout']> }).on('line', (line) => {
        output.push(line);
        const entry = readLogLine(line);
        if (entry) logs[role].push(entry);
        if (entry?.event === readyEvents[role]) resolve();
      });
    child.once('exit', (code) => reject(new Error(`${role} ended with ${code}:\n${output.slice(-10).join('\n')}`)));
  });
}

/** Returns the role's own process, which the container's first process has started. */
function processOf(role: Role): number {
  const [init] = childrenOf(running[role].pid);
  const [program] = childrenOf(init);
  if (program === undefined) throw new Error(`${role} does not run`);
  return program;
}

function statusOf(pid: number): Record<string, string> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(/:\s*/, 2) as [string, string]));
}

describe.each(['server', 'animatic'] as const)('the image %s', (name) => {
  const inImage = (path: string) => join(images[name].rootFolder, path);
  const readDocument = (path: string) => readFileSync(inImage(`usr/share/doc/kinora/${path}`), 'utf8');

  test('has no compiler, package manager of a language, downloader or source of ours', () => {
    const folders = ['usr/local/bin', 'usr/bin', 'usr/sbin', 'opt/kinora/bin'];
    const programs = folders.flatMap((path) => readdirSync(inImage(path)));
    expect(programs).toEqual(expect.arrayContaining(['node', 'tini', 'kinora-media', 'kinora-ffmpeg']));
    const tools = /^(gcc|cc|c\+\+|g\+\+|ld|make|nasm|npm|npx|python[\d.]*|curl|wget|git|pkg-config|dpkg-source)$/;
    expect(programs.filter((program) => tools.test(program))).toEqual([]);
    expect(readdirSync(inImage('opt/kinora')).filter((path) => path.endsWith('.ts'))).toEqual([]);
    expect(existsSync(inImage('src'))).toBe(false);
  });

  test('lists all its software, with licences and sources', () => {
    const bill = JSON.parse(readDocument('software-bill.spdx.json')) as {
      packages: { name: string; versionInfo: string; licenseDeclared: string }[];
    };
    const named = bill.packages.map((one) => one.name);
    const compiled = readDocument('THIRD-PARTY-LICENSES.txt')
      .split(`\n${'-'.repeat(80)}\n\n`)
      .map((licence) => licence.split(' ', 1)[0] ?? '');
    const installed = readdirSync(inImage('opt/kinora/node_modules'), { recursive: true, encoding: 'utf8' })
      .filter((path) => /^(@[^/]+\/)?[^/@]+\/package\.json$/.test(path))
      .map((path) => path.replace('/package.json', ''));
    expect(installed.length).toBeGreaterThan(1);
    expect(compiled.length).toBeGreaterThan(30);
    expect([...compiled, ...installed].filter((one) => !named.includes(one))).toEqual([]);
    expect(named).toEqual(expect.arrayContaining(['node', 'fastify', 'pino', `@kinora/${name}`]));
    expect(bill.packages.filter((one) => !one.versionInfo || !one.licenseDeclared)).toEqual([]);

    const listed = readDocument('debian-packages.tsv')
      .trim()
      .split('\n')
      .map((line) => line.split('\t'));
    const status = readFileSync(inImage('var/lib/dpkg/status'), 'utf8');
    const real = [...status.matchAll(/^Package: (.*)\n(?:.+\n)*?Version: (.*)$/gm)].map(
      ([, one, is]) => `${one} ${is}`,
    );
    expect(new Set(listed.map(([one, is]) => `${one} ${is}`))).toEqual(new Set(real));
    const debian = listed.map(([one]) => one as string);
    expect(debian).toEqual(expect.arrayContaining(['libx264-164', 'libdav1d6', 'tini', 'libc6']));
    expect(debian.filter((one) => !existsSync(inImage(`usr/share/doc/${one}/copyright`)))).toEqual([]);
    expect(readDocument('sources/ffmpeg-source-package.txt')).toMatch(/^\d[\w.:+~-]* [0-9a-f]{64}\n$/);
    expect(readDocument('SOURCES.md')).toContain('## Written offer');
  });

  test('holds nothing of the machine on which it was built', async () => {
    for (const path of ['mnt', 'root/.npm', 'var/lib/apt/lists'])
      expect([path, existsSync(inImage(path)) ? readdirSync(inImage(path)) : []]).toEqual([path, []]);
    expect(Object.keys(images[name].environment).filter((one) => !/^(PATH|KINORA_|MALLOC_)/.test(one))).toEqual([]);
  });

  test('is small', async () => {
    const { stdout } = await run('du', ['-sm', images[name].rootFolder]);
    const megabytes = Number.parseInt(stdout, 10);
    process.stdout.write(`the image ${name} has ${megabytes} MB\n`);
    expect(megabytes).toBeLessThan(name === 'server' ? 360 : 330);
  });

  test('has labels with its version, source and licence', () => {
    const { version } = JSON.parse(readFileSync(inImage('opt/kinora/package.json'), 'utf8')) as { version: string };
    expect(images[name].labels).toMatchObject({
      'org.opencontainers.image.title': `kinora-${name}`,
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.source': expect.any(String),
      'org.opencontainers.image.licenses': 'Apache-2.0 AND GPL-2.0-or-later',
    });
  });
});

describe('an installation from the images', () => {
  let client: ReturnType<typeof createApiClient>;

  test('no role is healthy before it is up', async () => {
    for (const role of roles) expect([role, (await checkHealth(role)).code]).toEqual([role, 1]);
  });

  test('makes videos from text and from an image', async () => {
    await command('migrate');
    const { id = '' } = await command('projects', 'create', 'default');
    const { key = '' } = await command('keys', 'create', id, '--mode', 'test', '--name', 'first');
    await Promise.all(roles.map(start));
    client = createApiClient({ url, key });
    const shape = { resolution: '480p', aspect_ratio: '1:1', duration: 1 };
    const created = [
      await client.create({ prompt: 'A lighthouse at dusk', ...shape }),
      await client.create({ prompt: 'The camera slowly moves in', image_url: sampleImage(1), ...shape }),
    ];
    for (const { task_id } of created) {
      const { end } = await client.follow(task_id);
      expect(end).toMatchObject({ status: 'completed', error: null });
      const path = join(folder, `${task_id}.mp4`);
      await writeFile(path, await client.content(task_id));
      const { stdout } = await run('ffprobe', ['-v', 'error', '-of', 'json', '-show_streams', '-show_format', path]);
      expect(JSON.parse(stdout)).toMatchObject({
        streams: [{ codec_name: 'h264', width: 480, height: 480 }],
        format: { format_name: expect.stringContaining('mp4') },
      });
    }
  });

  test('serves the console from the image', async () => {
    const page = await (await fetch(consoleUrl)).text();
    const [, script = ''] = /<script type="module"[^>]* src="(\/assets\/[^"]+)"/.exec(page) ?? [];
    const response = await fetch(`${consoleUrl}${script}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  });

  test.each(roles)('%s is healthy', async (role) => {
    expect(await checkHealth(role)).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test.each(roles)('%s runs as a user without rights, on a root that is read-only', (role) => {
    expect(statusOf(processOf(role))).toMatchObject({
      Uid: '10001\t10001\t10001\t10001',
      Gid: '10001\t10001\t10001\t10001',
      Groups: '',
      CapInh: '0000000000000000',
      CapPrm: '0000000000000000',
      CapEff: '0000000000000000',
      CapBnd: '0000000000000000',
      CapAmb: '0000000000000000',
      NoNewPrivs: '1',
      Seccomp: '2',
    });
    const mounts = readFileSync(`/proc/${processOf(role)}/mounts`, 'utf8').split('\n');
    const optionsOf = (path: string) =>
      mounts
        .findLast((line) => line.split(' ')[1] === path)
        ?.split(' ')[3]
        ?.split(',');
    expect(optionsOf('/')).toContain('ro');
    expect(optionsOf('/var/tmp/kinora')).toContain('rw');
  });

  test.each(['api', 'worker', 'animatic'] as const)('%s confines its children', async (role) => {
    const reported = logs[role].find(({ isolation }) => isolation !== undefined)?.['isolation'];
    // Docker's profile refuses new user namespaces, so more than this is not possible.
    expect(reported).toBe('confined');
    const { code, stdout, stderr } = await runInImage(imageOf(role), {
      ...(role === 'animatic' ? {} : { command: ['start', '--roles', role] }),
      environment: {
        ...environmentOf(role),
        KINORA_MINIMUM_ISOLATION: 'namespaces',
        KINORA_SCRATCH_FOLDER: '/tmp/scratch',
      },
    });
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain('namespaces failed (EPERM)');
  });

  test("a program in the image meets Docker's seccomp profile and a read-only root", async () => {
    const inShell = (script: string) =>
      runInImage(images.server, { entrypoint: ['/bin/sh', '-c', script], command: [], environment: {} });
    expect(await inShell('unshare --user true')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Operation not permitted'),
    });
    expect(await inShell('touch /opt/kinora/new')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Read-only file system'),
    });
    expect(await inShell('touch /tmp/new /dev/shm/new')).toMatchObject({ code: 0 });
  });

  test.each(roles)('%s ends by itself when the container is stopped, and then is not healthy', async (role) => {
    const ended = once(running[role], 'exit');
    expect(running[role].kill('SIGTERM')).toBe(true);
    expect(await ended).toEqual([0, null]);
    expect((await checkHealth(role)).code).toBe(1);
  });
});
