import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ManagedProcess {
  name: string;
  pid: number;
  /** Signals the process itself, not its children; SIGTERM unless told otherwise. */
  kill(signal?: NodeJS.Signals): void;
  exited: Promise<{ code: number | null; signal: string | null }>;
  logPath: string;
}

interface StartOptions {
  name: string;
  command: string;
  arguments: string[];
  /** Laid over the environment of this process. */
  environment?: Record<string, string>;
  logPath: string;
  /** Where it runs; the folder of this process without it. */
  folder?: string | undefined;
  /** A session of its own, which outlives this process and hears no Ctrl-C. */
  detached?: boolean;
  onLine?: (line: string) => void;
}

/** Starts a program whose output goes to a log file, appended, and also line by line to `onLine` when that is given. */
export function startProcess(options: StartOptions): ManagedProcess {
  const { name, command, logPath, onLine } = options;
  mkdirSync(dirname(logPath), { recursive: true });
  const log = openSync(logPath, 'a');
  // Without a listener the program writes to the file itself, so it does not depend on this process staying alive.
  const output = onLine ? 'pipe' : log;
  const child = spawn(command, options.arguments, {
    stdio: ['ignore', output, output],
    detached: options.detached ?? false,
    cwd: options.folder,
    env: { ...process.env, ...options.environment },
  });

  const readers = [child.stdout, child.stderr]
    .filter((stream) => stream !== null)
    .map((stream) =>
      createInterface({ input: stream }).on('line', (line) => {
        writeSync(log, `${line}\n`);
        onLine?.(line);
      }),
    );
  if (readers.length === 0) closeSync(log);
  else child.once('close', () => closeSync(log));

  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => resolve({ code: null, signal: null }));
  });
  if (child.pid === undefined) throw new Error(`${name} could not be started: ${command} does not run`);
  if (options.detached) child.unref();
  return { name, pid: child.pid, kill: (signal = 'SIGTERM') => void child.kill(signal), exited, logPath };
}

/** Whether the process exists and still does something: a zombie that nobody has reaped does not count. */
export function isAlive(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const state = status.slice(status.lastIndexOf(')') + 2)[0];
    if (state !== 'Z' && state !== 'X') return true;
    // The main thread of a killed Go program can be a zombie while other threads still hold its ports.
    return readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false;
  }
}

/** The command line of a process, its arguments separated by spaces; empty when there is no such process. */
export function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/** The living processes whose working folder is `folder`. */
export function processesWorkingIn(folder: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && workingFolderOf(pid) === folder && isAlive(pid));
}

function workingFolderOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

/** Waits until the process is gone; false when it is still there after `timeoutMilliseconds`. */
export async function waitUntilGone(pid: number, timeoutMilliseconds: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMilliseconds;
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}

/** Sends a signal; a process that has just ended is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** The end of a log file, for messages. */
export function lastLines(logPath: string, count: number): string {
  try {
    return readFileSync(logPath, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
  } catch {
    return '';
  }
}
