import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { testFolder } from '@kinora/stack/harness/test-folder';
import { toolPath } from '@kinora/stack/parts/stack-state';
import { inject } from 'vitest';

/** The command as it is installed from its tarball, run by the oldest Node that it supports. */
export const kinoraCommand = [
  toolPath('node20', 'runtimes'),
  join(inject('world').callerFolder, 'node_modules/kinora/bin/kinora.js'),
];

/** A folder for the output of the commands. */
export const folder = testFolder();

/** Returns an environment without the developer's own key, colours and home folder. */
export function environmentFor(key: string, baseUrl: string = inject('world').url): Record<string, string> {
  const path = process.env['PATH'] ?? '';
  return { PATH: path, HOME: folder, LANG: 'C.UTF-8', KINORA_BASE_URL: baseUrl, KINORA_API_KEY: key };
}

/** The exit code and the output of a command. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts the command without a terminal, in a process group of its own. */
export function startKinora(environment: Record<string, string>, ...args: string[]) {
  const [node = '', main = ''] = kinoraCommand;
  const child = spawn(node, [main, ...args], {
    cwd: folder,
    env: environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (bytes: Buffer) => {
    written.stdout += String(bytes);
  });
  child.stderr.on('data', (bytes: Buffer) => {
    written.stderr += String(bytes);
  });
  const ended = new Promise<Ended>((end) => child.on('close', (code) => end({ code, ...written })));
  return { pid: child.pid ?? 0, ended, written };
}

/** Runs the command to its end, without a terminal. */
export function kinora(environment: Record<string, string>, ...args: string[]): Promise<Ended> {
  return startKinora(environment, ...args).ended;
}
