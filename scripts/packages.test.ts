import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// Tests the published packages as a user gets them: built, packed, and unpacked into an empty folder.
const run = promisify(execFile);
const largestSdkBytes = 10_000;
/** The SDK is first because it is built first: the others need its types. */
const packages = [
  { name: '@kinora/sdk', folder: 'sdk', isLibrary: true },
  { name: '@kinora/ai-sdk', folder: 'integrations/ai-sdk', isLibrary: true },
  { name: 'kinora', folder: 'cli', isLibrary: false },
] as const;

let folder: string;
let packed: { name: string; filename: string }[];
const tarballOf = (name: string) => join(folder, packed.find((one) => one.name === name)?.filename ?? '');
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packages-'));
  await rm('sdk/dist', { recursive: true, force: true });
  await run('npm', ['run', 'build', '-w', '@kinora/sdk']);
  await Promise.all(packages.slice(1).map(({ name }) => run('npm', ['run', 'build', '-w', name])));
  const workspaces = packages.flatMap(({ name }) => ['-w', name]);
  const { stdout } = await run('npm', [
    'pack',
    '--json',
    '--ignore-scripts',
    '--pack-destination',
    folder,
    ...workspaces,
  ]);
  packed = JSON.parse(stdout);
  const installed = join(folder, 'node_modules/@kinora/sdk');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', tarballOf('@kinora/sdk'), '-C', installed, '--strip-components=1']);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
}, 90_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(packages)('$name', ({ name, isLibrary }) => {
  test('is packed without any complaint of publint', async () => {
    const { buffer, byteOffset, byteLength } = await readFile(tarballOf(name));
    const tarball = buffer.slice(byteOffset, byteOffset + byteLength);
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  test.runIf(isLibrary)('has correct types for every kind of import', async () => {
    // The command exits with an error if anything is wrong, and the thrown error shows its output.
    const { stdout } = await run('attw', [tarballOf(name), '--profile', 'esm-only', '--no-color', '--format', 'ascii']);
    expect(stdout).toContain(name);
  });
});

describe('the packed sdk', () => {
  test('is as small as its README says, and imports nothing that only Node has before it is needed', async () => {
    const { outputFiles } = await build({
      stdin: { contents: "export * from '@kinora/sdk'", resolveDir: folder },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser', // the build fails if the code imports a Node module
      write: false,
      legalComments: 'none',
    });
    const code = outputFiles[0]?.text ?? '';
    const bytes = gzipSync(code, { level: 9 }).byteLength;
    console.log(`@kinora/sdk: ${(bytes / 1000).toFixed(1)} kB gzipped, of ${largestSdkBytes / 1000} allowed`);
    expect(code).toContain('KINORA_BASE_URL');
    expect(bytes).toBeLessThan(largestSdkBytes);
    const readme = await readFile(join(folder, 'node_modules/@kinora/sdk/README.md'), 'utf8');
    expect(readme).toContain(`${Math.round(bytes / 1000)} kB gzipped`);
    expect(code).not.toMatch(/\bBuffer\b|\brequire\b|\b__dirname\b|\bsetImmediate\b/);
    // `videos.save` imports it when it is called. A static import would have failed the build.
    expect(code.match(/["'`]node:[^"'`]*/g)).toEqual(['"node:fs/promises']);
    // The only access to the environment, which also works if there is no `process`.
    expect(code.match(/[\w?.]*\bprocess\b[\w?.]*/g)).toEqual([expect.stringMatching(/^\w+\.process\?\.env\?\.$/)]);
  });

  test('shows its examples in the README exactly as they are in the files', async () => {
    const readme = await readFile(join(folder, 'node_modules/@kinora/sdk/README.md'), 'utf8');
    const shown = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
    const names = await readdir('sdk/examples');
    const examples = await Promise.all(names.map((name) => readFile(join('sdk/examples', name), 'utf8')));
    expect(new Set(shown)).toEqual(new Set(examples));
  });

  test('has types that compile in a strict project without our other packages', async () => {
    await writeFile(
      join(folder, 'typed.ts'),
      `import { type CompletedTask, Kinora, TaskFailedError, unwrapWebhook } from '@kinora/sdk';
       const kinora = new Kinora();
       export const task: Promise<CompletedTask> = kinora.videos.run({ prompt: 'a boat', duration: 1 });
       export const event = unwrapWebhook('', new Headers(), '').then(({ type }) => type);
       export const isFailed = (error: unknown) => error instanceof TaskFailedError && error.task.error.code;
       // @ts-expect-error: the types exist and are not any
       kinora.videos.run({ prompt: 1 });`,
    );
    const strict = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--types', '', '--module', 'nodenext'];
    const compiler = [...strict, '--target', 'es2022', '--lib', 'es2022,dom,dom.asynciterable', 'typed.ts'];
    const { stdout } = await run('tsc', compiler, { cwd: folder }).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  });

  /** Makes a video with a stub of the service, so that it uses fetch, streams and abort signals of the runtime. */
  const program = `
    import { followEventsUrl, Kinora, KinoraError, unwrapWebhook } from '@kinora/sdk';
    const seen = [];
    const { videos } = new Kinora();
    const task = await videos.run({ prompt: 'a boat' }, { onProgress: ({ status }) => seen.push(status) });
    seen.push((await videos.save(task, 'boat.mp4')).sizeBytes);
    for await (const { status } of followEventsUrl(task.events_url)) seen.push(status);
    await unwrapWebhook('{}', {}, 'whsec_AA==').catch((error) => seen.push(error instanceof KinoraError && error.name));
    console.log(seen.join(' '));`;
  const printed = 'queued completed 9 completed WebhookVerificationError';

  async function runProgram(command: string, ...args: string[]): Promise<string> {
    const task = { id: 'task_1', status: 'queued', is_final: false };
    const server = createServer((request, response) => {
      const events_url = `http://${request.headers.host}/v1/videos/task_1/events`;
      const ended = { ...task, status: 'completed', is_final: true, events_url };
      if (request.method === 'POST') response.end(JSON.stringify(task));
      else if (request.url?.endsWith('/content')) response.end('the bytes');
      else
        response.setHeader('content-type', 'text/event-stream').end(`event: task\ndata: ${JSON.stringify(ended)}\n\n`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      await writeFile(join(folder, 'program.js'), program);
      const KINORA_BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server has a port
      const env = { PATH: process.env['PATH'], KINORA_BASE_URL, KINORA_API_KEY: 'kin_test_x' };
      const { stdout } = await run(command, [...args, 'program.js'], { cwd: folder, env, timeout: 20_000 });
      expect(await readFile(join(folder, 'boat.mp4'), 'utf8')).toBe('the bytes');
      return stdout.trim();
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  test.for([
    ['the oldest supported Node', 'node20', []],
    ['the Node of this repository', 'node', []],
    ['Bun', 'bun', []],
    [
      'Deno',
      'deno',
      ['run', '--allow-net', '--allow-env', '--allow-read', '--allow-write', '--node-modules-dir=manual'],
    ],
  ] as const)('runs under %s', async ([, command, args]) => {
    expect(await runProgram(command, ...args)).toBe(printed);
  });
});
