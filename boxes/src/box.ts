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
  /** What the child reads; without it, stdin is empty. */
  stdin?: Readable | Uint8Array | undefined;
  /**
   * A child whose stdout this one reads, handed over by the kernel: no byte comes through us. Only in the same turn of the
   * event loop as the other was started in, before we have read anything of it.
   */
  stdinFrom?: BoxChild | undefined;
  /** Kills the child; the result then says SIGKILL, it does not reject. */
  signal?: AbortSignal | undefined;
  /** Takes stdout as it comes; without it, `run` collects stdout. */
  onStdout?: ((chunk: Buffer) => void) | undefined;
  /** Takes what the child writes to its descriptor 3, as ffmpeg does with `-progress pipe:3`. */
  extraPipe?: ((chunk: Buffer) => void) | undefined;
  /** A child that writes more to a collected stdout is killed. */
  maxOutputBytes?: number | undefined;
}

export interface BoxResult {
  exitCode: number | null;
  signal: string | null;
  stdout: Buffer;
  /** For our logs only: it may hold paths and a decoder's words. */
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
  /** What the kernel allows here, for the report at start. */
  readonly isolation: BoxIsolation;
  /** Runs a child to its end and hands back how it ended; rejects only if it could not be started. */
  run(command: BoxCommand): Promise<BoxResult>;
  /** Starts a child whose stdin and stdout the caller streams; `stdin`, `stdinFrom` and `onStdout` of the command are not used. */
  spawn(command: BoxCommand): BoxChild;
}

const defaultMaxOutputBytes = 4 * 1024 * 1024;
const stderrTailBytes = 4 * 1024;

/** Finds the programs and, once, what the kernel allows; fails if a program or the limits are missing. */
export async function createBox(options: { binFolder?: string | undefined }): Promise<Box> {
  const launcher = await findLauncher(options);

  function start(command: BoxCommand, stdin: 'pipe' | 'ignore' | Readable): ChildProcess {
    const [program, ...args] = launcher.line(command.program, command.arguments, command.limits);
    try {
      return spawnProcess(program, args, {
        cwd: command.folder,
        // Nothing of ours: our environment holds the store's and the database's secrets.
        env: { LANG: 'C', HOME: command.folder, TMPDIR: command.folder },
        stdio: [stdin, 'pipe', 'pipe', ...(command.extraPipe ? (['pipe'] as const) : [])],
        // A session of its own, so that one signal reaches the child and whatever it started.
        detached: true,
      });
    } finally {
      // Our end would keep the pipe open: who writes to a reader that has died would wait for ever.
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
      result.catch(() => undefined); // a caller that already gave up on the child is not asked to look at its end
      // Writing to a child that has died is told by `result`; unheard, it would end our process.
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
  // A child may stop reading whenever it likes; how it ended is what counts.
  pipeline(source, stdin).catch(() => undefined);
}

function watch(child: ChildProcess, command: BoxCommand, kill: () => void): Promise<BoxResult> {
  const { signal, extraPipe, limits } = command;
  let timedOut = false;
  let stderrTail = Buffer.alloc(0);
  child.stderr?.on('data', (chunk: Buffer) => {
    stderrTail = Buffer.concat([stderrTail, chunk]).subarray(-stderrTailBytes);
  });
  const progress = child.stdio[3];
  if (extraPipe && progress instanceof Readable) progress.on('data', extraPipe);

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

/** The whole process group; a group that has ended is no error. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // In the instant between fork and setsid the group does not exist yet.
    child.kill('SIGKILL');
  }
}
