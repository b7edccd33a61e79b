import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../exit-codes.ts';
import { isAddress, readPicture } from '../read-picture.ts';
import { expandHome } from './expand-home.ts';

/**
 * Returns an image that a model names. URLs and file ids are returned unchanged. A local file is sent only from a folder
 * that the user named, because a prompt injection may have made the model name a private picture.
 */
export async function readImage(image: string, folders: readonly string[]): Promise<string | Uint8Array> {
  if (isAddress(image)) return image;
  const path = await realPath(image.startsWith('file:') ? fileURLToPath(image) : expandHome(image));
  const named = await Promise.all(folders.map((folder) => realPath(expandHome(folder))));
  if (named.some((folder) => isBelow(folder, path))) return readPicture(path);
  const allowed = folders.length === 0 ? 'No folder is shared yet' : `Shared folders: ${folders.join(', ')}`;
  throw new UsageError(
    `image: ${image} is not in a folder that the user has shared. ${allowed}. Add --picture-folder <folder> to the ` +
      'arguments of `kinora mcp`, or give a URL.',
  );
}

/** Returns the path without links, so that a link in a shared folder leads nowhere else. */
function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** Whether a file is below a folder, and in no hidden folder of it. */
function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  // On Windows, the way to another drive is an absolute path.
  return way !== '' && !isAbsolute(way) && !way.split(sep).some((part) => part.startsWith('.'));
}
