import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { hangLimitMilliseconds } from '../hang-limit.ts';
import { readProcessStat } from './process-stat.ts';

export interface ManagedProcess {
  name: string;
  pid: number;
  /** Sends a signal, by default SIGTERM, to the process itself, not to its children. */
  kill(signal?: NodeJS.Signals): void;
  exited: Promise<{ code: number | null; signal: string | null }>;
  logPath: string;
}

interface StartOptions {
  name: string;
  command: string;
  arguments: string[];
  /** These variables override the environment of this process. */
  environment?: Record<string, string>;
  logPath: string;
  /** The working folder; by default that of this process. */
  folder?: string | undefined;
  /** Whether to start it in a session of its own, which outlives this process and gets no Ctrl-C. */
  detached?: boolean;
  onLine?: (line: string) => void;
}

/** Starts a program. Its output is appended to a log file and, if `onLine` is given, passed to it line by line. */
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

/** Whether the process exists and still runs: a zombie, which has exited but was not reaped yet, does not count. */
export function isAlive(pid: number): boolean {
  const stat = readProcessStat(pid);
  if (stat === null) return false;
  if (stat.state !== 'Z' && stat.state !== 'X') return true;
  try {
    // The main thread of a killed Go program can be a zombie while other threads still hold its ports.
    return readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false;
  }
}

/** Returns the command line of a process, its arguments separated by spaces; empty if there is no such process. */
export function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/** Returns the living processes whose working folder is `folder`. */
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

/** Waits until the process has ended; returns false if it is still alive after `timeoutMilliseconds`. */
export async function waitUntilGone(pid: number, timeoutMilliseconds = hangLimitMilliseconds): Promise<boolean> {
  const deadline = Date.now() + timeoutMilliseconds;
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}

/** Sends a signal. It is not an error if the process has already ended. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Returns the end of a log file, for error messages. */
export function lastLines(logPath: string, count: number): string {
  try {
    return readFileSync(logPath, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
  } catch {
    return '';
  }
}
