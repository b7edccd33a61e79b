import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BoxLimits, BoxProgram } from './box-limits.ts';
import { findMediaProgram, findPrograms } from './find-programs.ts';
import { type Isolation, isolationOf, requireIsolation } from './isolation.ts';
import { type MediaChild, type MediaProcess, startMediaProcess } from './media-process.ts';

export interface BoxCommand {
  program: BoxProgram;
  arguments: readonly string[];
  limits: BoxLimits;
  /** The scratch folder: the child's working folder, HOME and TMPDIR, and the only place where it may write. */
  folder: string;
  /** Further files and folders that the child may read, such as its sources; it can read its program and libraries. */
  readable?: readonly string[] | undefined;
  /** The child's input; without it, stdin is empty. */
  stdin?: Readable | Uint8Array | undefined;
  /** Another child whose stdout this one reads through a pipe. Start both before this process reads from the other. */
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
  readonly isolation: Isolation;
  /** Runs a child to its end and returns how it ended; rejects only if the child could not be started. */
  run(command: BoxCommand): Promise<BoxResult>;
  /** Starts a child whose stdin and stdout the caller streams, whatever the command says of them. */
  spawn(command: BoxCommand): BoxChild;
}

const defaultMaxOutputBytes = 4 * 1024 * 1024;
const stderrTailBytes = 4 * 1024;
/** Node ends if there is a configuration of OpenSSL that it may not read. */
const nodeArguments = ['--openssl-config=/dev/null'];
const [stdinRole, stdoutRole, stderrRole, extraRole] = [0, 1, 2, 3];

/** Starts kinora-media, which starts children. Throws if a program is missing, or `UnsafeMachine` without isolation. */
export async function createBox(options: {
  /** By default `confined`. */
  minimumIsolation?: Isolation | undefined;
  /** Other programs than those of the machine. */
  programs?: Partial<Record<BoxProgram, string>> | undefined;
}): Promise<Box> {
  const [found, mediaProgram] = await Promise.all([findPrograms(), findMediaProgram()]);
  const programs = { ...found, ...options.programs };
  const media = await startMediaProcess(mediaProgram);
  requireIsolation(media.report, options.minimumIsolation ?? 'confined');
  const idleNodeBytes = await measureIdleNode(media, found.node);
  const children = new WeakMap<BoxChild, MediaChild>();

  function start(command: BoxCommand, hasStdin: boolean): MediaChild {
    const { limits, stdinFrom } = command;
    const isNode = command.program === 'node';
    const heap = `--max-old-space-size=${Math.floor(limits.memoryBytes / 2 ** 20)}`;
    const folder = resolve(command.folder);
    const readsFrom = (stdinFrom && children.get(stdinFrom)) ?? null;
    const child = media.start({
      program: programs[command.program],
      arguments: [programs[command.program], ...(isNode ? [...nodeArguments, heap] : []), ...command.arguments],
      // None of our own variables: they hold the secrets of the file store and the database.
      environment: { LANG: 'C', HOME: folder, TMPDIR: folder },
      folder,
      readable: (command.readable ?? []).map((path) => resolve(path)),
      // Node: V8 reserves far more address space than it uses, so RLIMIT_AS says nothing about the memory in use.
      // Others: libraries take address space but are not data, so the address space gets 1 GiB on top of the data.
      dataBytes: limits.memoryBytes + (isNode ? idleNodeBytes : 0),
      addressBytes: isNode ? 0 : limits.memoryBytes + 2 ** 30,
      cpuSeconds: limits.cpuSeconds,
      fileSizeBytes: limits.fileSizeBytes,
      streams: [
        ...(hasStdin ? [stdinRole] : []),
        stdoutRole,
        stderrRole,
        ...(command.onExtraOutput ? [extraRole] : []),
      ],
      readsFrom,
    });
    // Its own stdin is never read here, so its end would not be noticed.
    child.streams.get(stdinRole)?.resume();
    return child;
  }

  return {
    isolation: isolationOf(media.report),

    async run(command) {
      const child = start(command, command.stdin !== undefined && command.stdinFrom === undefined);
      const result = watch(child, command);
      const chunks: Buffer[] = [];
      collect(stream(child, stdoutRole), command, chunks, child.kill);
      const stdin = child.streams.get(stdinRole);
      if (command.stdin && stdin) feed(stdin, command.stdin);
      return { ...(await result), stdout: Buffer.concat(chunks) };
    },

    spawn(command) {
      const child = start({ ...command, stdinFrom: undefined }, true);
      const result = watch(child, command);
      result.catch(() => undefined); // a caller that has given up on the child need not await its result
      const boxed = {
        stdin: stream(child, stdinRole),
        stdout: stream(child, stdoutRole),
        result,
        kill: child.kill,
      };
      children.set(boxed, child);
      return boxed;
    },
  };
}

function stream(child: MediaChild, role: number): Socket {
  const found = child.streams.get(role);
  if (!found) throw new Error('a boxed child lacks a stream');
  return found;
}

/** The data size of an idle Node process, part of every limit: V8 maps 512 MB for code writable without touching it. */
async function measureIdleNode(media: MediaProcess, node: string): Promise<number> {
  const child = media.start({
    program: node,
    arguments: [node, ...nodeArguments, '-e', `process.stdout.write('ready'); setInterval(() => {}, 1000)`],
    environment: {},
    folder: tmpdir(),
    readable: [],
    dataBytes: 2 ** 40,
    addressBytes: 0,
    cpuSeconds: 10,
    fileSizeBytes: 0,
    streams: [stdoutRole],
    readsFrom: null,
  });
  try {
    const ended = child.ended.then((end) => {
      throw new Error(`node cannot be started in a box: ${JSON.stringify(end)}`);
    });
    await Promise.race([once(stream(child, stdoutRole), 'data'), ended]);
    ended.catch(() => undefined);
    const status = await readFile(`/proc/${await child.pid}/status`, 'utf8');
    return Number(/VmData:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  } finally {
    child.kill();
  }
}

function collect(stdout: Readable, command: BoxCommand, chunks: Buffer[], kill: () => void): void {
  const maxOutputBytes = command.maxOutputBytes ?? defaultMaxOutputBytes;
  let sizeBytes = 0;
  stdout.on('data', (chunk: Buffer) => {
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

function watch(child: MediaChild, command: BoxCommand): Promise<BoxResult> {
  const { signal, onExtraOutput, limits } = command;
  const { kill } = child;
  let timedOut = false;
  let stderrTail = Buffer.alloc(0);
  stream(child, stderrRole).on('data', (chunk: Buffer) => {
    stderrTail = Buffer.concat([stderrTail, chunk]).subarray(-stderrTailBytes);
  });
  if (onExtraOutput) stream(child, extraRole).on('data', onExtraOutput);

  const timer = setTimeout(() => {
    timedOut = true;
    kill();
  }, limits.timeoutMilliseconds);
  if (signal?.aborted) kill();
  signal?.addEventListener('abort', kill, { once: true });

  const outputs = [...child.streams.values()];
  const closed = Promise.all(outputs.map((output) => new Promise((close) => output.once('close', close))));
  return child.ended
    .then(async ({ exitCode, signal }) => {
      // What nobody reads would keep its connection open.
      for (const output of outputs) if (output.readable) output.resume();
      await closed;
      return { exitCode, signal, stdout: Buffer.alloc(0), stderrTail: stderrTail.toString('utf8'), timedOut };
    })
    .catch((error: unknown) => {
      for (const output of outputs) output.destroy();
      throw error;
    })
    .finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', kill);
    });
}
