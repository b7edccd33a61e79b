import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { EscapeReport } from './escape-attempts.fixture.ts';
import { temporaryFolder } from './temporary-folder.fixture.ts';
import { withoutUserNamespaces } from './without-user-namespaces.fixture.ts';

const execute = promisify(execFile);
const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const root = temporaryFolder('walls');
const hostile = join(root, 'hostile');
await execute('gcc', ['-O1', '-Wall', '-Wextra', '-Werror', '-o', hostile, pathOf('../hostile/hostile.c')]);

/** Everything that a taken-over child can do besides using up what its limits leave it. */
const allowed = [
  'write a file in the job folder',
  'read it',
  'rename it',
  'delete it',
  'make a folder in the job folder',
  'list the job folder',
  'read its program',
  'read a library',
  'read /dev/null',
  'write /dev/null',
  'read /dev/urandom',
  'start a thread',
  'signal itself',
  'look at the size of any file',
];

async function attack(folderName: string, wrap: (line: string[]) => string[]): Promise<EscapeReport> {
  const folder = await mkdtemp(join(root, folderName));
  const [program = '', ...args] = wrap([process.execPath, pathOf('./escape-attempts.fixture.ts'), hostile, folder]);
  const { stdout } = await execute(program, args);
  expect(await readFile(join(folder, 'secret'), 'utf8')).toBe('secret');
  expect(await readFile(join(folder, 'neighbour', 'video.mp4'), 'utf8')).toBe('video');
  return JSON.parse(stdout) as EscapeReport; // written by the fixture
}

function allowedIn(attempts: string): string[] {
  const lines = attempts.trim().split('\n');
  expect(lines.length).toBeGreaterThan(100);
  return lines.filter((line) => line.endsWith(': allowed')).map((line) => line.replace(': allowed', ''));
}

const programs = ['ffmpeg', 'image child', 'drawing child'];
const machines: [string, string, (line: string[]) => string[]][] = [
  ['as it is', 'as-it-is', (line) => line],
  ['without user namespaces, as a user other than root', 'without-user-namespaces', withoutUserNamespaces],
];

describe.each(machines)('on this machine %s', async (_name, file, wrap) => {
  const report = await attack(file, wrap);

  it.each(programs)('a hostile program in the place of the %s can do nothing that is not on the list', (name) => {
    expect(allowedIn(report.attempts[name] ?? '')).toEqual(allowed);
  });

  it('every attempt fails in the same way, whichever program it replaces', async () => {
    const [first = '', ...others] = programs.map((name) => report.attempts[name]);
    expect(others).toEqual(others.map(() => first));
    // The errors differ with the isolation, which depends on the machine.
    await expect(first).toMatchFileSnapshot(pathOf(`../hostile/${report.isolation}.txt`));
  });
});

it('a machine without user namespaces reaches "confined", and a start that requires more says what to change', async () => {
  const { uid, isolation, refusal } = await attack('refusal', withoutUserNamespaces);
  expect(uid).not.toBe(0);
  expect(isolation).toBe('confined');
  expect(refusal).toContain('KINORA_MINIMUM_ISOLATION is "namespaces"');
  expect(refusal).toContain('user.max_user_namespaces');
});
