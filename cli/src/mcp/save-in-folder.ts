import { randomUUID } from 'node:crypto';
import { lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../exit-codes.ts';
import { describeError } from '../terminal/describe-error.ts';
import { expandHome } from './expand-home.ts';

/** Most file systems allow 255 bytes; the rest is for the temporary name. */
const maxNameBytes = 180;
/** A plain name. Without separators it cannot leave its folder, and without a dot in front it is not hidden. */
const plainName = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._()-]*$/u;

/**
 * Saves a video in the folder that the user named and returns its absolute path. A model chooses the name, and a prompt
 * injection may have chosen it: the file is always a new one, directly in the folder, and always called .mp4.
 * `download` writes a new file at the path that it is given.
 */
export async function saveInFolder(
  folder: string | undefined,
  name: string,
  download: (path: string) => Promise<unknown>,
): Promise<string> {
  if (folder === undefined) {
    throw new UsageError(
      'The user has not named a folder for videos yet: add --save-folder <folder> to the arguments of `kinora mcp`.',
    );
  }
  const fileName = videoFileName(name);
  const path = join(await openFolder(folder), fileName);
  const exists = () => new UsageError(`file_name: ${path} already exists. Choose another name.`);
  // lstat also sees a link that leads nowhere.
  if (await lstat(path).catch(() => null)) throw exists();
  const hidden = join(path, '..', `.${randomUUID()}.mp4`);
  try {
    await download(hidden);
    // Creating a file fails if another program has taken the name by now; a rename would replace its file.
    await (await open(path, 'wx')).close();
    await rename(hidden, path);
    return path;
  } catch (error) {
    await rm(hidden, { force: true });
    throw error instanceof Error && 'code' in error && error.code === 'EEXIST' ? exists() : error;
  }
}

function videoFileName(name: string): string {
  const base = name.trim().replace(/\.mp4$/i, '');
  if (!plainName.test(base)) {
    throw new UsageError(
      `file_name: ${JSON.stringify(name)} is not a plain name. Use letters, digits, spaces and ._()- only, and begin ` +
        'with a letter or digit. A path is not allowed: the user chose the folder.',
    );
  }
  if (Buffer.byteLength(base) > maxNameBytes) throw new UsageError('file_name: the name is too long.');
  return `${base}.mp4`;
}

/** Creates the folder if it does not exist, and returns its path without links. */
async function openFolder(folder: string): Promise<string> {
  try {
    await mkdir(expandHome(folder), { recursive: true });
    return await realpath(expandHome(folder));
  } catch (error) {
    throw new UsageError(`The folder ${folder} of --save-folder cannot be used: ${describeError(error)}`);
  }
}
