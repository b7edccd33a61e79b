import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';
import type { KernelReport } from './isolation.ts';

/** What kinora-media needs to know to start a child. */
interface MediaRequest {
  program: string;
  folder: string;
  arguments: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** Files and folders that the child may read, besides its program and libraries. */
  readable: readonly string[];
  dataBytes: number;
  /** 0 means no limit. */
  addressBytes: number;
  cpuSeconds: number;
  fileSizeBytes: number;
  /** The descriptors of the child that are connected to this process; others are empty. */
  streams: readonly number[];
  readsFrom: MediaChild | null;
}

export interface MediaChild {
  readonly number: number;
  /** The connections that the request asked for, by descriptor. */
  streams: ReadonlyMap<number, Socket>;
  /** Resolves once the child has started. */
  pid: Promise<number>;
  /** Resolves once the child has ended; rejects if it could not be started. */
  ended: Promise<{ exitCode: number | null; signal: string | null }>;
  kill: () => void;
}

export interface MediaProcess {
  readonly report: KernelReport;
  /** Starts a child at the end of this turn of the event loop. Throws if kinora-media has ended, and restarts it. */
  start(request: MediaRequest): MediaChild;
}

interface Running {
  process: ChildProcess;
  path: string;
  report: KernelReport;
}

const controlRole = 4;
const kinds = { started: 1, ended: 2, failed: 3 };
/** As in kinora-media.c. */
const steps = ['', 'fork', 'folder', 'program', 'streams', 'limits', 'Landlock', 'seccomp', 'exec'];
const messageBytes = 8;

/** Starts kinora-media, which ends when this process ends. */
export async function startMediaProcess(programPath: string): Promise<MediaProcess> {
  let running: Running | null = null;
  let starting: Promise<void> | null = null;
  let lastNumber = 0;
  /** Children that wait for the end of the turn, with whether another child reads their stdout. */
  const waiting = new Map<MediaChild, { isPiped: boolean }>();

  function begin(): Promise<void> {
    starting ??= launch(programPath)
      .then((launched) => {
        running = launched;
        launched.process.once('exit', () => {
          running = null;
        });
      })
      .finally(() => {
        starting = null;
      });
    return starting;
  }

  function requireRunning(): Running {
    if (running) return running;
    begin().catch(() => undefined); // the next start tries again
    throw new Error('kinora-media has ended, and is being started again');
  }

  await begin();
  const { report } = requireRunning();
  return {
    report,
    start(request) {
      const { path } = requireRunning();
      const writer = request.readsFrom && waiting.get(request.readsFrom);
      if (request.readsFrom && !writer) throw new Error('a child and its reader must start in the same turn');
      lastNumber += 1;
      const number = lastNumber;
      const streams = new Map(request.streams.map((role) => [role, createSocket()]));
      const control = createSocket();
      // The first bytes of a connection are its header, so it must be open before the caller can write.
      const stdin = streams.get(0);
      if (stdin) connect(stdin, path, number, 0);
      const start = { isPiped: false };
      if (writer) writer.isPiped = true;
      let isKilled = false;
      const kill = (): void => {
        isKilled = true;
        if (!waiting.has(child)) control.end(); // kinora-media kills the child when its control connection ends
      };
      const child: MediaChild = { number, streams, ...follow(control), kill };
      waiting.set(child, start);
      setImmediate(() => {
        waiting.delete(child);
        for (const [role, stream] of streams) {
          if (role === 1 && start.isPiped) stream.destroy();
          else if (role !== 0) connect(stream, path, number, role);
        }
        const connected = request.streams.filter((role) => role !== 1 || !start.isPiped);
        connect(control, path, number, controlRole);
        control.write(encodeRequest(request, connected, start.isPiped));
        if (isKilled) control.end();
      });
      return child;
    },
  };
}

async function launch(programPath: string): Promise<Running> {
  // No variable of ours: nothing that a child could read there is a secret.
  const process = spawn(programPath, [], { env: {}, cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(process, 'exit').then(() => {
    throw new Error('kinora-media ended at its start');
  });
  const [line] = await Promise.race([once(process.stdout, 'data'), ended]);
  ended.catch(() => undefined); // from now on its end is noticed by others
  // kinora-media writes this one line, in one piece.
  const { socket, ...report } = JSON.parse(String(line)) as KernelReport & { socket: string };
  // It must not keep this process alive.
  process.unref();
  for (const pipe of [process.stdin, process.stdout]) if (pipe instanceof Socket) pipe.unref();
  process.stdin.on('error', () => undefined);
  return { process, path: `\0${socket}`, report };
}

function createSocket(): Socket {
  // The child's end tells what went wrong; an unhandled error event would end this process.
  return new Socket().on('error', () => undefined);
}

/** Opens one of the connections of a child. */
function connect(socket: Socket, path: string, number: number, role: number): void {
  const header = Buffer.alloc(8);
  header.writeUInt32LE(number, 0);
  header.writeUInt32LE(role, 4);
  socket.connect({ path });
  socket.write(header);
}

function encodeRequest(request: MediaRequest, connected: readonly number[], isPiped: boolean): Buffer {
  const variables = Object.entries(request.environment).map(([name, value]) => `${name}=${value}`);
  const strings = [request.program, request.folder, ...request.arguments, ...variables, ...request.readable];
  const text = Buffer.from(strings.map((string) => `${refuseNul(string)}\0`).join(''));
  const head = Buffer.alloc(64);
  const numbers = [
    head.length + text.length,
    connected.reduce((mask, role) => mask | (1 << role), 0),
    request.readsFrom?.number ?? 0,
    isPiped ? 1 : 0,
  ];
  const limits = [request.dataBytes, request.addressBytes, request.cpuSeconds, request.fileSizeBytes];
  const counts = [request.arguments.length, variables.length, request.readable.length];
  for (const [index, value] of numbers.entries()) head.writeUInt32LE(value, index * 4);
  for (const [index, value] of limits.entries()) head.writeBigUInt64LE(BigInt(Math.ceil(value)), 16 + index * 8);
  for (const [index, value] of counts.entries()) head.writeUInt32LE(value, 48 + index * 4);
  return Buffer.concat([head, text]);
}

/** A string with a NUL would move all strings after it. */
function refuseNul(string: string): string {
  if (string.includes('\0')) throw new Error('an argument of a child contains a NUL');
  return string;
}

function follow(control: Socket): Pick<MediaChild, 'pid' | 'ended'> {
  const pid = Promise.withResolvers<number>();
  const ended = Promise.withResolvers<{ exitCode: number | null; signal: string | null }>();
  // Callers that are interested in one of the two need not handle the other.
  pid.promise.catch(() => undefined);
  ended.promise.catch(() => undefined);
  const fail = (reason: string): void => {
    const error = new Error(`the child could not be started: ${reason}`);
    pid.reject(error);
    ended.reject(error);
  };
  let hasStarted = false;
  let received = Buffer.alloc(0);
  control.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    for (; received.length >= messageBytes; received = received.subarray(messageBytes)) {
      const [kind, value] = [received.readUInt32LE(0), received.readUInt32LE(4)];
      if (kind === kinds.started) {
        hasStarted = true;
        pid.resolve(value);
      } else if (kind === kinds.ended) ended.resolve(decodeStatus(value));
      else if (kind === kinds.failed) fail(`${steps[value >>> 16]}: ${getSystemErrorName(-(value & 0xffff))}`);
    }
  });
  control.once('close', () => {
    // The children of a kinora-media that has ended were killed. No effect after a regular end.
    if (hasStarted) ended.resolve({ exitCode: null, signal: 'SIGKILL' });
    else fail('kinora-media has ended');
  });
  return { pid: pid.promise, ended: ended.promise };
}

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));
signalNames.set(constants.signals.SIGABRT, 'SIGABRT'); // also called SIGIOT

/** Decodes what waitpid(2) returns. */
function decodeStatus(status: number): { exitCode: number | null; signal: string | null } {
  const signal = status & 0x7f;
  return signal === 0
    ? { exitCode: (status >> 8) & 0xff, signal: null }
    : { exitCode: null, signal: signalNames.get(signal) ?? `signal ${signal}` };
}
