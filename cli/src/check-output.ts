import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from './exit-codes.ts';
import { describeError } from './terminal/describe-error.ts';

/** The name that stands for stdout, as in other tools. */
export const standardOutput = '-';

/** Checks before a video is made that it can be saved at this path. `-` is stdout. */
export async function checkOutput(
  path: string,
  { isForced, isJson = false }: { isForced: boolean; isJson?: boolean },
): Promise<void> {
  if (path === standardOutput) return checkStandardOutput(isJson);
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) throw new UsageError(`${path} is a folder. Name a file in it.`);
  // Renaming would replace a device such as /dev/null with a file.
  if (found && !found.isFile()) throw new UsageError(`${path} is not a file.`);
  if (found && !isForced)
    throw new UsageError(`${path} already exists. Choose another name, or pass --force to overwrite it.`);
  const folder = await stat(dirname(path)).catch(() => null);
  if (!folder?.isDirectory()) throw new UsageError(`The folder ${dirname(path)} does not exist. Create it first.`);
  try {
    // A video is first saved under a name that is longer by up to 13 characters.
    await tryToWrite(`${path}.0000000.part`);
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${describeError(error)}`);
  }
}

function checkStandardOutput(isJson: boolean): void {
  if (isJson) throw new UsageError('--json and --output - would both write to stdout. Name a file.');
  if (process.stdout.isTTY)
    throw new UsageError('--output - would write the video to the terminal. Pipe it somewhere.');
}

/** Returns a file in this folder that is named after the task. The service chose the id, so it is checked. */
export async function outputNamedAfter(taskId: string, { isForced }: { isForced: boolean }): Promise<string> {
  if (!/^task_[0-9a-z]{26}$/.test(taskId)) {
    throw new UsageError('The service sent an invalid task id. Name a file with --output.');
  }
  await checkOutput(`${taskId}.mp4`, { isForced });
  return `${taskId}.mp4`;
}

/** Creates a folder and its parents if they do not exist. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw new UsageError(`The folder ${folder} cannot be created: ${describeError(error)}`);
  }
}

/** Tries to write a file. Only this finds every problem: permissions, a read-only disk, a name that is too long. */
async function tryToWrite(path: string): Promise<void> {
  try {
    await (await open(path, 'wx')).close();
    await rm(path);
  } catch (error) {
    // The file exists, so that its folder can be written to.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
