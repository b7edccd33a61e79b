import { join } from 'node:path';
import { eventually } from '@kinora/stack/harness/eventually';
import { lastLines, startProcess } from '@kinora/stack/parts/processes';
import type { Stack } from '@kinora/stack/parts/stack';

export interface BareProgram {
  pid: number;
  /** The line by which the program said that it is ready. */
  readyLine: string;
  stop: () => Promise<void>;
}

/** Starts Node and waits for the first line that it prints to match. Throws if the program ends before. */
export async function startBareProgram(
  { info }: Stack,
  { name, args, ready }: { name: string; args: string[]; ready: RegExp },
): Promise<BareProgram> {
  const logPath = join(info.folder, `${name.replaceAll(' ', '-')}.log`);
  let readyLine: string | null = null;
  let hasExited = false;
  const child = startProcess({
    name,
    command: process.execPath,
    arguments: args,
    logPath,
    onLine: (line) => {
      if (ready.test(line)) readyLine ??= line;
    },
  });
  void child.exited.then(() => {
    hasExited = true;
  });
  await eventually(`the ${name} is ready`, () => readyLine !== null || hasExited, { everyMilliseconds: 5 });
  if (readyLine === null) throw new Error(`the ${name} ended while it started:\n${lastLines(logPath, 15)}`);
  return {
    pid: child.pid,
    readyLine,
    stop: async () => {
      child.kill();
      await child.exited;
    },
  };
}
