import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from './exit-codes.ts';
import { describeError } from './terminal/describe-error.ts';

/** Checks before a video is made that it can be saved at this path. */
export async function checkOutput(path: string, { isForced }: { isForced: boolean }): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) throw new UsageError(`${path} is a folder: name a file in it.`);
  // Renaming would replace a device such as /dev/null with a file.
  if (found && !found.isFile()) throw new UsageError(`${path} is not a file.`);
  if (found && !isForced) throw new UsageError(`${path} is there already: name another file, or add --force.`);
  await makeFolder(dirname(path));
  try {
    await tryToWrite(`${path}.part`);
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${describeError(error)}`);
  }
}

/** Returns a file in this folder that is named after the task. The service chose the id, so it is checked. */
export async function outputNamedAfter(taskId: string, { isForced }: { isForced: boolean }): Promise<string> {
  if (!/^task_[0-9a-z]{26}$/.test(taskId)) {
    throw new UsageError('The service sent an id that is not one of a task: name a file with --output.');
  }
  await checkOutput(`${taskId}.mp4`, { isForced });
  return `${taskId}.mp4`;
}

/** Creates a folder and its parents if they do not exist. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw new UsageError(`The folder ${folder} cannot be made: ${describeError(error)}`);
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
