import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ampleLimits } from '@kinora/stack/harness/project-limits';
import { describe, expect, inject, test } from 'vitest';
import cliPackage from '../cli/package.json' with { type: 'json' };
import { commandWith, patternOf } from './guides-readme.ts';
import { ownProject } from './own-project.ts';
import { probe } from './probe-video.ts';

// Runs the first guide with the installed tarballs of `npm run pack`, in a project outside this repository.

const run = promisify(execFile);
const { url, callerFolder } = inject('world');
const { key } = await ownProject('packages', ampleLimits);
const tools = resolve(import.meta.dirname, '../.tools/bin');
const guide = resolve(import.meta.dirname, '../docs/guides/first-video');
const environment = { KINORA_BASE_URL: url, KINORA_API_KEY: key };

/** Returns a folder in the project, in which the packages of the project are found. */
const newFolder = () => mkdtemp(join(callerFolder, 'guide-'));

describe.concurrent('the first guide, with the packages from `npm run pack`', () => {
  const denoOptions = [
    'run',
    '--allow-net',
    '--allow-env',
    '--allow-read',
    '--allow-write',
    '--node-modules-dir=manual',
  ];
  test.each([
    // Node 20 cannot strip types, but this file has none.
    ['the oldest supported Node', 'node20', [], 'first-video.mjs'],
    ['Node 24', 'node', [], 'first-video.ts'],
    ['Bun', 'bun', [], 'first-video.ts'],
    ['Deno', 'deno', denoOptions, 'first-video.ts'],
  ])('makes a video with the SDK under %s', async (_, command, options, file) => {
    const cwd = await newFolder();
    await copyFile(join(guide, 'first-video.ts'), join(cwd, file));
    const env = { PATH: process.env['PATH'], ...environment };
    const { stdout } = await run(join(tools, command), [...options, file], { cwd, env });
    expect(stdout).toMatch(patternOf(commandWith('first-video', 'first-video.ts').output));
    expect((await probe(join(cwd, 'boat.mp4'))).streams[0]).toMatchObject({ codec_name: 'h264', width: 480 });
  });

  test.each(['node20', 'node'])('makes a video with the command line under %s', async (node) => {
    const cwd = await newFolder();
    // The command starts the `node` of the PATH.
    await symlink(join(tools, node), join(cwd, 'node'));
    const PATH = `${cwd}:${join(callerFolder, 'node_modules/.bin')}:${process.env['PATH']}`;
    const script = join(guide, 'first-video-command.sh');
    const { stdout } = await run('sh', [script], { cwd, env: { PATH, HOME: cwd, ...environment } });
    expect(stdout).toBe('paper-boat.mp4\n');
    expect((await probe(join(cwd, 'paper-boat.mp4'))).streams[0]).toMatchObject({ codec_name: 'h264', width: 480 });
  });
});

test('the provider makes the video of its README', async () => {
  const cwd = await newFolder();
  await mkdir(join(cwd, 'node_modules'));
  // What `npm install ai` adds.
  await symlink(resolve(import.meta.dirname, '../node_modules/ai'), join(cwd, 'node_modules/ai'));
  await copyFile(
    resolve(import.meta.dirname, '../integrations/ai-sdk/examples/generate-video.ts'),
    join(cwd, 'run.ts'),
  );
  await run(join(tools, 'node'), ['run.ts'], { cwd, env: { PATH: process.env['PATH'], ...environment } });
  expect((await probe(join(cwd, 'boat.mp4'))).streams[0]).toMatchObject({ codec_name: 'h264', width: 854 });
});

test('`npx --no-install kinora` runs in the clone after `npm ci`', async () => {
  const cwd = resolve(import.meta.dirname, '..');
  const { stdout } = await run('npx', ['--no-install', 'kinora', '--version'], { cwd });
  expect(stdout).toBe(`${cliPackage.version}\n`);
});
