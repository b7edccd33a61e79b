import { readFile, stat } from 'node:fs/promises';
import { UsageError } from './exit-codes.ts';

const maxBytes = 20_000_000;
/** The first bytes of JPEG, PNG and WebP files, as Latin-1 text. */
const beginnings = [/^\u00ff\u00d8\u00ff/, /^\u0089PNG\r\n/, /^RIFF[\s\S]{4}WEBP/];

/** Whether the text is a URL or the id of an uploaded file. Any other text is a local path. */
export function isAddress(picture: string): boolean {
  return /^(https?:|data:|file_[0-9a-z]{26}$)/.test(picture);
}

/**
 * Returns URLs and file ids unchanged, and the bytes of a local file. A file is sent only if it is a picture, because a
 * file of jobs or a prompt injection may have named a secret one.
 */
export async function readPicture(picture: string): Promise<string | Uint8Array> {
  if (isAddress(picture)) return picture;
  const found = await stat(picture).catch(() => null);
  if (!found) throw new UsageError(`There is no picture ${picture} on this computer. Give its path or a URL.`);
  // Devices and pipes are never opened: reading them may never end.
  if (!found.isFile()) throw new UsageError(`The picture ${picture} is not a file.`);
  if (found.size > maxBytes) throw new UsageError(`The picture ${picture} is larger than 20 MB.`);
  const bytes = await readFile(picture).catch(() => null);
  if (!bytes) throw new UsageError(`The picture ${picture} cannot be read.`);
  const beginning = bytes.toString('latin1', 0, 12);
  if (!beginnings.some((pattern) => pattern.test(beginning))) {
    throw new UsageError(`${picture} is not a JPEG, PNG or WebP picture.`);
  }
  return bytes;
}
