import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { startLoopbackServer } from '@kinora/stack/harness/loopback-server';
import { testFolder } from '@kinora/stack/harness/test-folder';
import { build } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { beforeAll, describe, expect, test } from 'vitest';
import cliPackage from '../cli/package.json' with { type: 'json' };

// Tests the packages as a user gets them: `npm run pack`, and an install from the tarballs, outside this repository. This
// takes longer than all other tests in this folder, so it is a Vitest project of its own, which `npm run check` leaves out.
const run = promisify(execFile);
const largestSdkBytes = 10_000;
const packages = [
  { name: '@kinora/sdk', folder: 'sdk', isLibrary: true, bundles: [] },
  { name: '@kinora/ai-sdk', folder: 'integrations/ai-sdk', isLibrary: true, bundles: ['@ai-sdk/provider'] },
  // The MCP server in turn contains copies of ajv and what ajv needs.
  { name: 'kinora', folder: 'cli', isLibrary: false, bundles: ['commander', '@modelcontextprotocol/server', 'ajv'] },
] as const;
const names = packages.map(({ name }) => name);

/** Holds the tarballs, and every project that they are installed in. */
const parent = testFolder();
/** A project with all three packages. */
let folder: string;
let tarballs: { name: string; path: string }[];
const tarballOf = (name: string) => tarballs.find((tarball) => tarball.name === name)?.path ?? '';
const installed = (path: string) => join(folder, 'node_modules', path);

beforeAll(async () => {
  const { stdout } = await run('node', ['scripts/pack.ts', '--json', '--output', join(parent, 'tarballs')]);
  tarballs = JSON.parse(stdout);
  folder = await install(names);
});

/** Installs tarballs in a new project. Without a network and with an empty cache, npm has nothing but the tarballs. */
async function install(packageNames: readonly string[]): Promise<string> {
  const project = await mkdtemp(join(parent, 'project-'));
  const cache = await mkdtemp(join(parent, 'cache-'));
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
  await run('npm', ['install', '--offline', '--cache', cache, ...packageNames.map(tarballOf)], { cwd: project });
  return project;
}

test.each([
  ['@kinora/sdk', 'node', ['-e', "import('@kinora/sdk').then(({ Kinora }) => console.log(Kinora.name))"], 'Kinora'],
  [
    '@kinora/ai-sdk',
    'node',
    ['-e', "import('@kinora/ai-sdk').then(({ version }) => console.log(version))"],
    cliPackage.version,
  ],
  ['kinora', 'npx', ['--no-install', 'kinora', '--version'], cliPackage.version],
])('%s can be installed alone, from an empty cache and without a network', async (name, command, args, printed) => {
  const project = await install([name]);
  const { stdout } = await run(command, args, { cwd: project });
  expect(stdout.trim()).toBe(printed);
});

describe.each(packages)('$name', ({ name, folder: source, isLibrary, bundles }) => {
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

  test('has the licence of this repository, and says what it is and what it needs', async () => {
    const manifest = JSON.parse(await readFile(installed(`${name}/package.json`), 'utf8')) as Record<string, unknown>;
    expect(manifest).toMatchObject({
      description: expect.any(String),
      keywords: expect.arrayContaining(['kinora', 'text-to-video']),
      license: 'Apache-2.0',
      engines: { node: '>=20.3' },
    });
    expect(manifest).not.toHaveProperty('dependencies');
    const licence = await readFile('LICENSE', 'utf8');
    expect(await readFile(join(source, 'LICENSE'), 'utf8')).toBe(licence);
    expect(await readFile(installed(`${name}/LICENSE`), 'utf8')).toBe(licence);
  });

  test.runIf(bundles.length > 0)('contains the licence of every package that is bundled in it', async () => {
    const dist = installed(`${name}/dist`);
    const scripts = (await readdir(dist)).filter((file) => file.endsWith('.js'));
    const code = (await Promise.all(scripts.map((file) => readFile(join(dist, file), 'utf8')))).join('\n');
    // The bundler writes the path of every file above its code.
    const paths = code.matchAll(/^\s*\/\/ (?:\.\.\/)+node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm);
    const bundled = new Set([...paths].map(([, bundledName]) => bundledName));
    const licences = await readFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    const titles = [...licences.matchAll(/^(\S+) \(\S+\)\n\n/gm)].map(([, title]) => title);
    expect(titles).toEqual(expect.arrayContaining([...bundles]));
    expect([...bundled].filter((bundledName) => !titles.includes(bundledName))).toEqual([]);
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
    const readme = await readFile(installed('@kinora/sdk/README.md'), 'utf8');
    const shown = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
    const files = await readdir('sdk/examples');
    const examples = await Promise.all(files.map((name) => readFile(join('sdk/examples', name), 'utf8')));
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
    expect(await compile('typed.ts', folder)).toBe('');
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
    await using server = await startLoopbackServer((request, response) => {
      const events_url = `http://${request.headers.host}/v1/videos/task_1/events`;
      const ended = { ...task, status: 'completed', is_final: true, events_url };
      if (request.method === 'POST') response.end(JSON.stringify(task));
      else if (request.url?.endsWith('/content')) response.end('the bytes');
      else
        response.setHeader('content-type', 'text/event-stream').end(`event: task\ndata: ${JSON.stringify(ended)}\n\n`);
    });
    await writeFile(join(folder, 'program.js'), program);
    const env = { PATH: process.env['PATH'], KINORA_BASE_URL: server.url, KINORA_API_KEY: 'kin_test_x' };
    const { stdout } = await run(command, [...args, 'program.js'], { cwd: folder, env });
    expect(await readFile(join(folder, 'boat.mp4'), 'utf8')).toBe('the bytes');
    return stdout.trim();
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

describe('the packed provider', () => {
  let project: string;
  beforeAll(async () => {
    project = await install(['@kinora/ai-sdk']);
    // What `npm install ai` adds.
    for (const name of ['ai', '@ai-sdk'])
      await symlink(resolve('node_modules', name), join(project, 'node_modules', name));
  });

  test('has types that fit the AI SDK, in a strict project without the sdk', async () => {
    await writeFile(
      join(project, 'typed.ts'),
      `import { KinoraTaskError, createKinora } from '@kinora/ai-sdk';
       import { experimental_generateVideo as generateVideo } from 'ai';
       const model = createKinora({ apiKey: 'kin_test_x' }).video('animatic');
       export const video = generateVideo({ model, prompt: 'a boat' }).then(({ video }) => video.uint8Array);
       export const codeOf = (error: KinoraTaskError): string | undefined => error.task.error?.code;
       // @ts-expect-error: the types exist and are not any
       createKinora({ apiKey: 1 });
       // @ts-expect-error: those of the sdk too
       export const wrong = (error: KinoraTaskError): number => error.task.id;`,
    );
    expect(await compile('typed.ts', project, 'true')).toBe('');
  });

  test('rejects a forged webhook with the error class that it exports, which is not that of an installed sdk', async () => {
    await writeFile(
      join(project, 'program.js'),
      `import { createKinora, WebhookVerificationError } from '@kinora/ai-sdk';
       const model = createKinora({ webhookSecret: 'whsec_AA==' }).video();
       const webhook = async () => ({ url: '', received: Promise.resolve({ headers: {}, body: '{}' }) });
       const { received } = await model.handleWebhookOption({ webhook });
       await received.catch((error) => console.log(error instanceof WebhookVerificationError));`,
    );
    expect((await run('node', ['program.js'], { cwd: project })).stdout.trim()).toBe('true');
  });

  test('throws errors that the AI SDK recognises and retries, although the package has its own copy of them', async () => {
    let requests = 0;
    await using server = await startLoopbackServer((_, response) => {
      requests++;
      response.writeHead(503, { 'content-type': 'application/json' }).end('{"error": {"message": "busy"}}');
    });
    await writeFile(
      join(project, 'program.js'),
      `import { createKinora } from '@kinora/ai-sdk';
       import { APICallError, RetryError, experimental_generateVideo as generateVideo } from 'ai';
       const model = createKinora({ apiKey: 'kin_test_x', baseURL: '${server.url}' }).video();
       await generateVideo({ model, prompt: 'a boat', maxRetries: 1 }).catch((error) => {
         console.log(RetryError.isInstance(error), APICallError.isInstance(error.lastError), error.lastError.message);
       });`,
    );
    const { stdout } = await run('node', ['program.js'], { cwd: project });
    expect(stdout.trim()).toBe('true true busy');
    expect(requests).toBe(2);
  });
});

/** Compiles a file as strictly as a user might, and returns the complaints. */
async function compile(file: string, project: string, skipLibCheck = 'false'): Promise<string> {
  const strict = ['--strict', '--noEmit', '--skipLibCheck', skipLibCheck, '--types', '', '--module', 'nodenext'];
  const compiler = [...strict, '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable,dom.asynciterable', file];
  const { stdout } = await run('tsc', compiler, { cwd: project }).catch((error: { stdout: string }) => error);
  return stdout;
}
