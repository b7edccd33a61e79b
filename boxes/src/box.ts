import { type ChildProcess, spawn as spawnProcess } from 'node:child_process';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type BoxIsolation, findLauncher } from './box-launcher.ts';
import type { BoxLimits, BoxProgram } from './box-limits.ts';

export interface BoxCommand {
  program: BoxProgram;
  arguments: readonly string[];
  limits: BoxLimits;
  /** The scratch folder: the child's working folder, HOME and TMPDIR. */
  folder: string;
  /** The child's input; without it, stdin is empty. */
  stdin?: Readable | Uint8Array | undefined;
  /**
   * Another child whose stdout this one reads through a pipe of the kernel, so no byte passes through this process.
   * Start both in the same turn of the event loop, before this process has read anything from the other child.
   */
  stdinFrom?: BoxChild | undefined;
  /** Kills the child when aborted. The result then resolves with SIGKILL; it does not reject. */
  signal?: AbortSignal | undefined;
  /** Receives stdout in chunks; without it, `run` collects stdout. */
  onStdout?: ((chunk: Buffer) => void) | undefined;
  /** Receives what the child writes to its descriptor 3, as ffmpeg does with `-progress pipe:3`. */
  onExtraOutput?: ((chunk: Buffer) => void) | undefined;
  /** The limit of a collected stdout; a child that writes more is killed. */
  maxOutputBytes?: number | undefined;
}

export interface BoxResult {
  exitCode: number | null;
  signal: string | null;
  stdout: Buffer;
  /** For our logs only, because it may contain paths and a decoder's messages. */
  stderrTail: string;
  timedOut: boolean;
}

export interface BoxChild {
  stdin: Writable;
  stdout: Readable;
  result: Promise<BoxResult>;
  kill(): void;
}

export interface Box {
  /** The isolation that the kernel allows, which programs log at start. */
  readonly isolation: BoxIsolation;
  /** Runs a child to its end and returns how it ended; rejects only if the child could not be started. */
  run(command: BoxCommand): Promise<BoxResult>;
  /**
   * Starts a child whose stdin and stdout the caller streams; ignores the command's `stdin`, `stdinFrom` and
   * `onStdout`.
   */
  spawn(command: BoxCommand): BoxChild;
}

const defaultMaxOutputBytes = 4 * 1024 * 1024;
const stderrTailBytes = 4 * 1024;

/**
 * Finds the programs and the isolation that the kernel allows; throws if a program is missing or limits do not work.
 */
export async function createBox(options: { binFolder?: string | undefined }): Promise<Box> {
  const launcher = await findLauncher(options);

  function start(command: BoxCommand, stdin: 'pipe' | 'ignore' | Readable): ChildProcess {
    const [program, ...args] = launcher.line(command.program, command.arguments, command.limits);
    try {
      return spawnProcess(program, args, {
        cwd: command.folder,
        // None of our own variables: they hold the secrets of the file store and the database.
        env: { LANG: 'C', HOME: command.folder, TMPDIR: command.folder },
        stdio: [stdin, 'pipe', 'pipe', ...(command.onExtraOutput ? (['pipe'] as const) : [])],
        // A session of its own, so that one signal reaches the child and every process it started.
        detached: true,
      });
    } finally {
      // Close our end of the pipe: while it is open, a child whose reader has died would block on writing.
      command.stdinFrom?.stdout.destroy();
    }
  }

  return {
    isolation: launcher.isolation,

    async run(command) {
      const child = start(command, command.stdinFrom?.stdout ?? (command.stdin ? 'pipe' : 'ignore'));
      const kill = () => killGroup(child);
      const result = watch(child, command, kill);
      const chunks: Buffer[] = [];
      collect(child.stdout, command, chunks, kill);
      if (command.stdin && child.stdin) feed(child.stdin, command.stdin);
      return { ...(await result), stdout: Buffer.concat(chunks) };
    },

    spawn(command) {
      const child = start(command, 'pipe');
      if (!child.stdin || !child.stdout) throw new Error('a boxed child has no pipes');
      const kill = () => killGroup(child);
      const result = watch(child, command, kill);
      result.catch(() => undefined); // a caller that has given up on the child need not await its result
      // `result` reports a child that died while being written to; an unhandled error event would end this process.
      child.stdin.on('error', () => undefined);
      return { stdin: child.stdin, stdout: child.stdout, result, kill };
    },
  };
}

function collect(stdout: Readable | null, command: BoxCommand, chunks: Buffer[], kill: () => void): void {
  const maxOutputBytes = command.maxOutputBytes ?? defaultMaxOutputBytes;
  let sizeBytes = 0;
  stdout?.on('data', (chunk: Buffer) => {
    if (command.onStdout) return command.onStdout(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > maxOutputBytes) kill();
    else chunks.push(chunk);
  });
}

function feed(stdin: Writable, input: Readable | Uint8Array): void {
  const source = input instanceof Readable ? input : Readable.from([input], { objectMode: false });
  // A child may stop reading at any time; only its result counts.
  pipeline(source, stdin).catch(() => undefined);
}

function watch(child: ChildProcess, command: BoxCommand, kill: () => void): Promise<BoxResult> {
  const { signal, onExtraOutput, limits } = command;
  let timedOut = false;
  let stderrTail = Buffer.alloc(0);
  child.stderr?.on('data', (chunk: Buffer) => {
    stderrTail = Buffer.concat([stderrTail, chunk]).subarray(-stderrTailBytes);
  });
  const extraOutput = child.stdio[3];
  if (onExtraOutput && extraOutput instanceof Readable) extraOutput.on('data', onExtraOutput);

  const timer = setTimeout(() => {
    timedOut = true;
    kill();
  }, limits.timeoutMilliseconds);
  if (signal?.aborted) kill();
  signal?.addEventListener('abort', kill, { once: true });

  return new Promise<BoxResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signalName) => {
      const text = stderrTail.toString('utf8');
      resolve({ exitCode, signal: signalName, stdout: Buffer.alloc(0), stderrTail: text, timedOut });
    });
  }).finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', kill);
  });
}

/** Kills the whole process group; does nothing if the child has ended. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // In the instant between fork and setsid the group does not exist yet.
    child.kill('SIGKILL');
  }
}
