import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DownloadOptions, Kinora } from '@kinora/sdk';
import { DownloadError, UsageError } from './exit-codes.ts';
import { describeError } from './terminal/describe-error.ts';

const tries = 3;

/** Downloads into a file that appears whole or not at all. */
export async function saveVideo(
  kinora: Kinora,
  taskId: string,
  path: string,
  options: DownloadOptions = {},
): Promise<void> {
  const part = partOf(path);
  await mkdir(dirname(path), { recursive: true });
  for (let count = 1; ; count++) {
    try {
      const { body } = await kinora.videos.download(taskId, options);
      if (!body) throw new Error('The service sent no bytes.');
      await pipeline(Readable.fromWeb(body), createWriteStream(part));
      return await rename(part, path);
    } catch (error) {
      await rm(part, { force: true });
      // What the service or the disk refuses is refused again; fetch calls a connection that breaks in the middle a TypeError.
      if (!(error instanceof TypeError)) throw error;
      if (count === tries) throw new DownloadError(`The download broke off, ${tries} times.`, { cause: error });
    }
  }
}

/** Finds out before a video is made whether it could be saved there. */
export async function checkOutput(path: string, { isForced }: { isForced: boolean }): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) throw new UsageError(`${path} is a folder: name a file in it.`);
  // Renaming would put a file in the place of /dev/null.
  if (found && !found.isFile()) throw new UsageError(`${path} is not a file.`);
  if (found && !isForced) throw new UsageError(`${path} is there already: name another file, or add --force.`);
  await makeFolder(dirname(path));
  try {
    await tryToWrite(partOf(path));
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${describeError(error)}`);
  }
}

/** Makes a folder, with those around it, unless it is there. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw new UsageError(`The folder ${folder} cannot be made: ${describeError(error)}`);
  }
}

/** Only an attempt knows it all: rights, a disk that is read-only, a name that is too long. */
async function tryToWrite(path: string): Promise<void> {
  try {
    await (await open(path, 'wx')).close();
    await rm(path);
  } catch (error) {
    // Left behind, or another download is writing there just now.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** Where it lies until it is whole. */
function partOf(path: string): string {
  return `${path}.part`;
}
