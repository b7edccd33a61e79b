import { setTimeout as sleep } from 'node:timers/promises';
import { hangLimitMilliseconds } from '../hang-limit.ts';
import { isPortFree } from './free-port.ts';
import { cpuSecondsOfSession, processesOfSession } from './process-session.ts';
import { isAlive, lastLines, type ManagedProcess, signalProcess, startProcess, waitUntilGone } from './processes.ts';

/** A real inference server that was started for a test, in a session of its own. */
export interface RealEngine {
  url: string;
  logPath: string;
  /** The process of the server itself; it changes with a restart. */
  readonly pid: number;
  /** Returns the processes that the server has started; these do the computing. */
  workerPids(): number[];
  /** Sends a signal to the server alone, as an operator or the kernel would, and waits until it has ended. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Ends the server and all processes that it has started. */
  stop(): Promise<void>;
  /** Stops all remaining processes and starts the server again on the same port. */
  restart(): Promise<void>;
  /** Returns the processor time that the server and its workers have used since the last start. */
  cpuSeconds(): number;
}

interface RealEngineOptions {
  name: string;
  command: string;
  arguments: string[];
  environment: Record<string, string>;
  /** The working folder. */
  folder: string;
  logPath: string;
  /** All ports that the server listens on; the first one takes requests. */
  ports: [number, ...number[]];
  /** Checks once whether the server is ready; a thrown error means that it is not ready yet. */
  isReady: (url: string) => Promise<boolean>;
}

const STOP_TIMEOUT_MILLISECONDS = 5_000;
const running = new Set<number>();
// A test run that ends early must not leave an engine running, which holds a gigabyte of memory.
process.once('exit', () => [...running].flatMap(processesOfSession).forEach((pid) => signalProcess(pid, 'SIGKILL')));

/** Starts an engine and waits until it accepts jobs. */
export async function startRealEngine(options: RealEngineOptions): Promise<RealEngine> {
  const url = `http://127.0.0.1:${options.ports[0]}`;
  let server = await launch(options, url);
  const stop = () => endSession(server.pid);
  return {
    url,
    logPath: options.logPath,
    get pid() {
      return server.pid;
    },
    workerPids: () => processesOfSession(server.pid).filter((pid) => pid !== server.pid),
    async kill(signal) {
      server.kill(signal);
      if (!(await waitUntilGone(server.pid))) throw new Error(`${options.name} is still alive after ${signal}`);
    },
    stop,
    async restart() {
      await stop();
      server = await launch(options, url);
    },
    cpuSeconds: () => cpuSecondsOfSession(server.pid),
  };
}

async function launch(options: RealEngineOptions, url: string): Promise<ManagedProcess> {
  await waitForPorts(options);
  const server = startProcess({ ...options, detached: true });
  running.add(server.pid);
  try {
    await waitUntilReady(options, url, server.pid);
  } catch (error) {
    await endSession(server.pid);
    throw error;
  }
  return server;
}

/** Waits until all ports are free, which may take a moment after a program was killed. */
async function waitForPorts({ name, ports }: RealEngineOptions): Promise<void> {
  const deadline = Date.now() + hangLimitMilliseconds;
  while (!(await Promise.all(ports.map(isPortFree))).every(Boolean)) {
    if (Date.now() > deadline) throw new Error(`${name} cannot start: one of its ports ${ports.join(', ')} is in use`);
    await sleep(100);
  }
}

async function waitUntilReady(options: RealEngineOptions, url: string, pid: number): Promise<void> {
  const { name, logPath, isReady } = options;
  const deadline = Date.now() + hangLimitMilliseconds;
  while (!(await isReady(url).catch(() => false))) {
    const problem = !isAlive(pid) ? 'exited during its start' : Date.now() > deadline ? 'was not ready in time' : null;
    if (problem) throw new Error(`${name} ${problem}; the last lines of ${logPath}:\n${lastLines(logPath, 15)}`);
    await sleep(100);
  }
}

/** Sends SIGTERM to every process of the session, and kills those that have not ended in time. */
async function endSession(leader: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const pids = processesOfSession(leader);
    pids.forEach((pid) => signalProcess(pid, signal));
    await Promise.all(pids.map((pid) => waitUntilGone(pid, STOP_TIMEOUT_MILLISECONDS)));
  }
  running.delete(leader);
}
