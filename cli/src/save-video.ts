import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DownloadOptions, Kinora } from '@kinora/sdk';
import { UsageError } from './exit-codes.ts';

const tries = 3;

/** Downloads into a file that appears whole or not at all. */
export async function saveVideo(
  kinora: Kinora,
  taskId: string,
  path: string,
  options: DownloadOptions = {},
): Promise<void> {
  const part = `${path}.part`;
  await mkdir(dirname(path), { recursive: true });
  for (let count = 1; ; count++) {
    try {
      const { body } = await kinora.videos.download(taskId, options);
      if (!body) throw new Error('The service sent no bytes.');
      await pipeline(Readable.fromWeb(body), createWriteStream(part));
      return await rename(part, path);
    } catch (error) {
      await rm(part, { force: true });
      // The connection broke in the middle; whatever the service refuses is refused again.
      if (count === tries || (error instanceof Error && 'status' in error)) throw error;
    }
  }
}

/** Finds out before a video is made whether it could be saved there. */
export async function checkOutput(path: string, { isForced }: { isForced: boolean }): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) throw new UsageError(`${path} is a folder: name a file in it.`);
  if (found && !isForced) throw new UsageError(`${path} is there already: name another file, or add --force.`);
  try {
    await mkdir(dirname(path), { recursive: true });
  } catch (error) {
    throw new UsageError(
      `The folder of ${path} cannot be made: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
