import { existsSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hangLimitMilliseconds } from '../hang-limit.ts';
import { isPortFree } from './free-port.ts';
import { commandLineOf, isAlive, lastLines, signalProcess, startProcess, waitUntilGone } from './processes.ts';
import { type PartName, readState, StackError, updateState } from './stack-state.ts';

/** One program of a stack: how to prepare, start, check and stop it. */
export interface Part {
  name: PartName;
  ports: number[];
  stopSignal: NodeJS.Signals;
  /** Runs before every start, so it must be idempotent. */
  prepare(): Promise<void>;
  program(): { command: string; arguments: string[]; environment?: Record<string, string> };
  /** Tries to use the part as Kinora will, and creates its database, bucket or namespace; throws until it is ready. */
  checkUsable(): Promise<void>;
  /** Ends processes that the killed program has left running. */
  clean?(): Promise<void>;
}

const STOP_TIMEOUT_MILLISECONDS = 15_000;

/** Returns the id of a running part that works on this folder; a recorded one may be another program's by now. */
export function partPid(folder: string, name: PartName): number | null {
  const pid = readState(folder)?.pids[name];
  return pid !== undefined && isAlive(pid) && commandLineOf(pid).includes(`${folder}/`) ? pid : null;
}

/** Throws if a part that is not running cannot start, because its program is missing or one of its ports is in use. */
export async function checkPart(folder: string, part: Part, patienceMilliseconds: number): Promise<void> {
  if (partPid(folder, part.name) !== null) return;
  part.program();
  await Promise.all(part.ports.map((port) => assertPortFree(port, patienceMilliseconds)));
}

/** Starts a part, or adopts the running one, and waits until it is usable. */
export async function startPart(folder: string, part: Part): Promise<'started' | 'adopted'> {
  const running = partPid(folder, part.name);
  if (running !== null) {
    await waitUntilUsable(folder, part, running);
    return 'adopted';
  }
  await part.prepare();
  await checkPart(folder, part, hangLimitMilliseconds);
  const logPath = partLog(folder, part.name);
  // Every start gets a new log, so that an error message about a failed start quotes the right lines.
  if (existsSync(logPath)) renameSync(logPath, join(folder, `${part.name}.previous.log`));
  const { pid } = startProcess({ name: part.name, ...part.program(), logPath, detached: true });
  updateState(folder, (state) => {
    state.pids[part.name] = pid;
  });
  await waitUntilUsable(folder, part, pid);
  return 'started';
}

/** Stops a part gracefully, and kills it if that takes too long. */
export async function stopPart(folder: string, part: Part): Promise<void> {
  const pid = partPid(folder, part.name);
  if (pid !== null) {
    signalProcess(pid, part.stopSignal);
    if (!(await waitUntilGone(pid, STOP_TIMEOUT_MILLISECONDS))) await killPart(folder, part);
  }
  forget(folder, part.name);
}

/** Ends a part as a crash would. */
export async function killPart(folder: string, part: Part): Promise<void> {
  const pid = partPid(folder, part.name);
  if (pid !== null) {
    signalProcess(pid, 'SIGKILL');
    if (!(await waitUntilGone(pid))) throw new StackError(`${part.name} (process ${pid}) is still alive after SIGKILL`);
    await part.clean?.();
  }
  forget(folder, part.name);
}

function forget(folder: string, name: PartName): void {
  updateState(folder, (state) => {
    delete state.pids[name];
  });
}

async function waitUntilUsable(folder: string, part: Part, pid: number): Promise<void> {
  let logged = { bytes: 0, at: Date.now() };
  for (;;) {
    try {
      await part.checkUsable();
      // Another program might respond on the port while ours failed to bind it.
      if (isAlive(pid)) return;
    } catch (error) {
      const bytes = statSync(partLog(folder, part.name)).size;
      if (bytes !== logged.bytes) logged = { bytes, at: Date.now() };
      if (isAlive(pid) && Date.now() - logged.at > hangLimitMilliseconds) {
        throw new StackError(withLog(folder, part.name, 'runs, but is not usable and logs nothing more'), {
          cause: error,
        });
      }
    }
    if (!isAlive(pid)) throw new StackError(withLog(folder, part.name, 'exited during its start'));
    await sleep(30);
  }
}

function withLog(folder: string, name: PartName, sentence: string): string {
  const logPath = partLog(folder, name);
  return `${name} ${sentence}; the last lines of ${logPath}:\n${lastLines(logPath, 12)}`;
}

function partLog(folder: string, name: PartName): string {
  return join(folder, `${name}.log`);
}

/** Throws if the port stays in use. After a kill it may take a moment to become free, and longer on a busy machine. */
async function assertPortFree(port: number, patienceMilliseconds: number): Promise<void> {
  const deadline = Date.now() + patienceMilliseconds;
  while (!(await isPortFree(port))) {
    if (Date.now() > deadline)
      throw new StackError(`port ${port} is in use by another program; free it or set KINORA_STACK_BASE_PORT`);
    await sleep(100);
  }
}
