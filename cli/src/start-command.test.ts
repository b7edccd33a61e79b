import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { temporaryFolder } from './temporary-folder.fixture.ts';

const run = promisify(execFile);
const packageFolder = join(import.meta.dirname, '..');
const bin = join(packageFolder, 'bin/kinora.js');

describe('bin/kinora.js', () => {
  test('is executable, and is the file that npm links in a clone before anything is built', async () => {
    await expect(access(bin, constants.X_OK)).resolves.toBeUndefined();
    const read = async (path: string) => JSON.parse(await readFile(join(packageFolder, path), 'utf8'));
    expect((await read('package.json')).bin).toEqual({ kinora: 'bin/kinora.js' });
    expect((await read('../package-lock.json')).packages.cli.bin).toEqual({ kinora: 'bin/kinora.js' });
  });

  test('runs the sources in a clone, from any folder and without options for Node', async () => {
    const { stdout } = await run(process.execPath, [bin, '--version'], { cwd: tmpdir(), env: {} });
    expect(stdout).toBe(`${manifest.version}\n`);
  });
});

describe('bin/kinora.js in another package', () => {
  const folder = temporaryFolder();
  beforeAll(async () => {
    await mkdir(join(folder, 'bin'));
    await copyFile(bin, join(folder, 'bin/kinora.js'));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  });
  beforeEach(async () => {
    for (const name of ['src', 'dist']) await rm(join(folder, name), { recursive: true, force: true });
  });

  const put = async (path: string, code: string) => {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), code);
  };
  const putSource = () => put('src/main.ts', "const from: string = 'source'; console.log(from);");
  const putBuild = () => put('dist/main.js', "console.log('build');");
  const start = (node: string) => run(node, [join(folder, 'bin/kinora.js')]);

  test('prefers the sources to a build that may be old, if this Node runs TypeScript', async () => {
    await putSource();
    await putBuild();
    expect((await start('node')).stdout).toBe('source\n');
    expect((await start('node20')).stdout).toBe('build\n');
  });

  test('runs the build if there are no sources, as in the installed package', async () => {
    await putBuild();
    expect((await start('node')).stdout).toBe('build\n');
    expect((await start('node20')).stdout).toBe('build\n');
  });

  test('says what to do if an old Node has nothing that it can run', async () => {
    await putSource();
    const failed = await start('node20').catch((error: { code: number; stderr: string }) => error);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('Use Node 24 or later, or build it') });
  });
});
