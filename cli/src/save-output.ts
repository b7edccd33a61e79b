import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ConnectionError, type Kinora, type SaveOptions } from '@kinora/sdk';
import { standardOutput } from './check-output.ts';
import { exitCodes } from './exit-codes.ts';

/** The downloads that are writing a file now. */
const saving = new Map<AbortController, Promise<unknown>>();

/** Downloads a video into a file that is complete or does not exist, or to stdout if the path is `-`. */
export async function saveOutput(
  kinora: Kinora,
  taskId: string,
  path: string,
  options: SaveOptions = {},
): Promise<void> {
  if (path !== standardOutput) return saveFile(kinora, taskId, path, options);
  const { body } = await kinora.videos.download(taskId, options);
  if (!body) throw new ConnectionError('The service sent no bytes.');
  try {
    await pipeline(Readable.fromWeb(body), process.stdout, { end: false });
  } catch (error) {
    // fetch throws a TypeError if the connection breaks. It is not retried, because the start is already written.
    if (!(error instanceof TypeError)) throw error;
    throw new ConnectionError('The download was interrupted, so the output is incomplete.', { cause: error });
  }
}

/** Downloads a video into a file that is complete or does not exist. */
export async function saveFile(kinora: Kinora, taskId: string, path: string, options: SaveOptions = {}): Promise<void> {
  const stop = new AbortController();
  const saved = kinora.videos.save(taskId, path, { ...options, signal: stop.signal });
  saving.set(stop, saved);
  try {
    await saved;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    await new Promise(() => undefined); // the program is about to exit and has said so
  } finally {
    saving.delete(stop);
  }
}

/** Removes what killed downloads to this path left, but no file written to after `since`, which may still be in use. */
export async function removeLeftovers(path: string, since: Date): Promise<void> {
  const prefix = `${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(prefix) || !/^[0-9a-z]{1,7}\.part$/.test(name.slice(prefix.length))) continue;
    const part = join(dirname(path), name);
    const found = await stat(part).catch(() => null);
    if (found?.isFile() && found.mtime < since) await rm(part, { force: true });
  }
}

/** Ends the program because of Ctrl-C, once what its downloads have written is removed. */
export function exitInterrupted(): void {
  void abandonSaves().finally(() => process.exit(exitCodes.interrupted));
}

/** Stops all downloads and removes what they have written. Call it only to exit the program then. */
export async function abandonSaves(): Promise<void> {
  const downloads = [...saving.values()];
  for (const stop of saving.keys()) stop.abort();
  await Promise.allSettled(downloads);
}
