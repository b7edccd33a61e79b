import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPortFree } from './free-port.ts';
import { commandLineOf, isAlive, lastLines, signalProcess, startProcess, waitUntilGone } from './processes.ts';
import { type PartName, readState, StackError, updateState } from './stack-state.ts';

/** One program of a stack: how it is made ready to start, started, asked whether it is of use yet, and stopped. */
export interface Part {
  name: PartName;
  ports: number[];
  stopSignal: NodeJS.Signals;
  /** Runs before every start, so it must not mind that its work has been done. */
  prepare(): Promise<void>;
  program(): { command: string; arguments: string[]; environment?: Record<string, string> };
  /** One attempt to use the part as Kinora will, creating what must be there; throws while it is not ready. */
  use(): Promise<void>;
  /** Ends what the killed program has left running. */
  clean?(): Promise<void>;
}

const START_TIMEOUT_MILLISECONDS = 30_000;
const STOP_TIMEOUT_MILLISECONDS = 15_000;

/** The process of a part, or null: a recorded process id counts only while it is a program working on this very folder. */
export function partPid(folder: string, name: PartName): number | null {
  const pid = readState(folder)?.pids[name];
  return pid !== undefined && isAlive(pid) && commandLineOf(pid).includes(`${folder}/`) ? pid : null;
}

/** Throws when a part that does not run yet could not be started: its program is missing, or a port of it is taken. */
export async function checkPart(folder: string, part: Part): Promise<void> {
  if (partPid(folder, part.name) !== null) return;
  part.program();
  await Promise.all(part.ports.map(insistOnPort));
}

/** Starts a part, or adopts the one that runs, and waits until it is of use. */
export async function startPart(folder: string, part: Part): Promise<'started' | 'adopted'> {
  const running = partPid(folder, part.name);
  if (running !== null) {
    await waitUntilUsable(folder, part, running);
    return 'adopted';
  }
  await part.prepare();
  await checkPart(folder, part);
  const logPath = partLog(folder, part.name);
  // A fresh log for every start, so that a message about a failed one quotes the right lines.
  if (existsSync(logPath)) renameSync(logPath, join(folder, `${part.name}.previous.log`));
  const { pid } = startProcess({ name: part.name, ...part.program(), logPath, detached: true });
  updateState(folder, (state) => {
    state.pids[part.name] = pid;
  });
  await waitUntilUsable(folder, part, pid);
  return 'started';
}

/** Stops a part in its own orderly way; by force when that takes too long. */
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
    if (!(await waitUntilGone(pid, 5_000))) throw new StackError(`${part.name} (process ${pid}) does not die`);
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
  const deadline = Date.now() + START_TIMEOUT_MILLISECONDS;
  for (;;) {
    try {
      await part.use();
      // Another program could answer on the port while ours has just failed to bind it.
      if (isAlive(pid)) return;
    } catch (error) {
      if (isAlive(pid) && Date.now() > deadline) {
        throw new StackError(withLog(folder, part.name, 'runs but is of no use yet after 30 s'), { cause: error });
      }
    }
    if (!isAlive(pid)) throw new StackError(withLog(folder, part.name, 'ended while it was starting'));
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

/** A port may take a moment to come free after its program was killed, hence the second chance. */
async function insistOnPort(port: number): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    if (await isPortFree(port)) return;
    await sleep(100);
  }
  throw new StackError(`port ${port} is taken by another program; free it or set KINORA_STACK_BASE_PORT`);
}
