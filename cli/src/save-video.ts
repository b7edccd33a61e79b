import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DownloadOptions, Kinora } from '@kinora/sdk';
import { DownloadError, UsageError } from './exit-codes.ts';
import { describeError } from './terminal/describe-error.ts';

const tries = 3;
/** The name that stands for stdout, as in other tools. */
export const standardOutput = '-';

/** Downloads a video into a file that is complete or does not exist, or to stdout if the path is `-`. */
export async function saveVideo(
  kinora: Kinora,
  taskId: string,
  path: string,
  options: DownloadOptions = {},
): Promise<void> {
  if (path === standardOutput) return pipeVideo(kinora, taskId, options);
  const part = partOf(path);
  for (let count = 1; ; count++) {
    try {
      const { body } = await kinora.videos.download(taskId, options);
      if (!body) throw new Error('The service sent no bytes.');
      await pipeline(Readable.fromWeb(body), createWriteStream(part));
      return await rename(part, path);
    } catch (error) {
      await rm(part, { force: true });
      // Errors of the service or the disk would only repeat. fetch throws a TypeError if the connection breaks in the
      // middle.
      if (!(error instanceof TypeError)) throw error;
      if (count === tries) throw new DownloadError(`The download broke off, ${tries} times.`, { cause: error });
    }
  }
}

/** Writes a video to stdout. A download that broke off is not retried, because its start is already written. */
async function pipeVideo(kinora: Kinora, taskId: string, options: DownloadOptions): Promise<void> {
  const { body } = await kinora.videos.download(taskId, options);
  if (!body) throw new Error('The service sent no bytes.');
  try {
    await pipeline(Readable.fromWeb(body), process.stdout, { end: false });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new DownloadError('The download broke off, and what was written is not complete.', { cause: error });
  }
}

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
    await tryToWrite(partOf(path));
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
    // The partial file exists: it is a leftover, or another download is writing it now.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** Returns the path of the partial file, which is renamed once it is complete. */
function partOf(path: string): string {
  return `${path}.part`;
}
