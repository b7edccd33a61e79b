import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { eventually } from '@kinora/stack/harness/eventually';
import { afterAll, inject } from 'vitest';

type Variables = Record<string, string>;

/** A folder that looks like the root of a clone in which `npm run dev` runs, as the guides expect it. */
export interface Workspace {
  folder: string;
  /** Runs a command in a shell that has read environment.sh, and returns its output once it has ended. */
  run(command: string, variables?: Variables): Promise<{ stdout: string; stderr: string; exitCode: number | null }>;
  /** Starts a command that keeps running. It is killed with all its children after the last test of the file. */
  start(command: string, variables?: Variables): Started;
}

/** A running command. */
interface Started {
  stdout(): string;
  /** Waits until the command has printed this. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Ends the command at once, as `kill -9` does. */
  kill(): Promise<void>;
}

const root = fileURLToPath(new URL('../', import.meta.url));
const cleanups: (() => void)[] = [];
afterAll(() => cleanups.forEach((clean) => clean()));

/** Creates a workspace with this test key. */
export function newWorkspace(testKey: string): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'kinora-guide-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['.tools', 'README.md', 'cli', 'docs', 'e2e']) symlinkSync(join(root, name), join(folder, name));
  mkdirSync(join(folder, '.stack'));
  writeFileSync(join(folder, '.stack/dev.json'), JSON.stringify({ url: inject('world').url, testKey }));

  const shell = (command: string, variables: Variables) => {
    const child = spawn('bash', ['-c', `. docs/guides/environment.sh\n${command}`], {
      cwd: folder,
      env: { HOME: folder, PATH: process.env['PATH'], ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { child, ended };
  };

  return {
    folder,
    async run(command, variables = {}) {
      const { child, ended } = shell(command, variables);
      const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
      return { stdout, stderr, exitCode };
    },
    start(command, variables = {}) {
      const { child, ended } = shell(command, variables);
      let [stdout, stderr] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
      const killGroup = () => {
        if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
        process.kill(-child.pid, 'SIGKILL');
      };
      cleanups.unshift(killGroup);
      return {
        stdout: () => stdout,
        printed: (pattern) =>
          eventually(`${command} prints ${pattern}`, async () => {
            if (child.exitCode !== null && !pattern.test(stdout))
              throw new Error(`the command ended:\n${stdout}${stderr}`);
            return pattern.exec(stdout);
          }),
        async kill() {
          killGroup();
          await ended;
        },
      };
    },
  };
}
