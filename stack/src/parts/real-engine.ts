import { setTimeout as sleep } from 'node:timers/promises';
import { isPortFree } from './free-port.ts';
import { cpuSecondsOfSession, processesOfSession } from './process-session.ts';
import { isAlive, lastLines, type ManagedProcess, signalProcess, startProcess, waitUntilGone } from './processes.ts';

/** An inference server that was started for a test, in a session of its own. */
export interface RealEngine {
  url: string;
  logPath: string;
  /** The server itself; another one after a restart. */
  readonly pid: number;
  /** What the server has started: those that compute. */
  workerPids(): number[];
  /** Signals the server alone, as an operator or the kernel would, and waits until it is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Ends the server and all it has started. */
  stop(): Promise<void>;
  /** Stops what is left and starts again on the same port. */
  restart(): Promise<void>;
  /** The processor time that server and workers have used since the last start. */
  cpuSeconds(): number;
}

interface RealEngineOptions {
  name: string;
  command: string;
  arguments: string[];
  environment: Record<string, string>;
  /** Where it runs. */
  folder: string;
  logPath: string;
  /** All that it listens on; the first is the one to talk to. */
  ports: [number, ...number[]];
  startTimeoutMilliseconds: number;
  /** Asks once; a thrown error means not yet. */
  isReady: (url: string) => Promise<boolean>;
}

const STOP_TIMEOUT_MILLISECONDS = 5_000;
const running = new Set<number>();
// A test run that ends early must not leave a gigabyte of engine behind.
process.once('exit', () => [...running].flatMap(processesOfSession).forEach((pid) => signalProcess(pid, 'SIGKILL')));

/** Starts an engine and waits until it takes work. */
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
      if (!(await waitUntilGone(server.pid, 10_000))) throw new Error(`${options.name} outlives ${signal}`);
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

/** A port may take a moment to come free after its program was killed. */
async function waitForPorts({ name, ports }: RealEngineOptions): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const free = await Promise.all(ports.map(isPortFree));
    if (free.every(Boolean)) return;
    await sleep(100);
  }
  throw new Error(`${name} cannot start: one of its ports ${ports.join(', ')} is taken`);
}

async function waitUntilReady(options: RealEngineOptions, url: string, pid: number): Promise<void> {
  const { name, logPath, startTimeoutMilliseconds, isReady } = options;
  const deadline = Date.now() + startTimeoutMilliseconds;
  while (!(await isReady(url).catch(() => false))) {
    const problem = !isAlive(pid) ? 'ended while it started' : Date.now() > deadline ? 'was not ready in time' : null;
    if (problem) throw new Error(`${name} ${problem}; the last lines of ${logPath}:\n${lastLines(logPath, 15)}`);
    await sleep(100);
  }
}

/** Asks everything in the session to end, and kills what has not done so in time. */
async function endSession(leader: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const pids = processesOfSession(leader);
    pids.forEach((pid) => signalProcess(pid, signal));
    await Promise.all(pids.map((pid) => waitUntilGone(pid, STOP_TIMEOUT_MILLISECONDS)));
  }
  running.delete(leader);
}
