import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../exit-codes.ts';

const maxBytes = 20_000_000;
/** The first bytes of JPEG, PNG and WebP files, as Latin-1 text. */
const beginnings = [/^\u00ff\u00d8\u00ff/, /^\u0089PNG\r\n/, /^RIFF[\s\S]{4}WEBP/];

/**
 * Returns an image that a model names. URLs and file ids are returned unchanged. A local file is sent only if it is an
 * image, because a prompt injection may have made the model name a secret file.
 */
export async function readImage(image: string): Promise<string | Uint8Array> {
  if (/^(https?:|data:|file_[0-9a-z]{26}$)/.test(image)) return image;
  const path = image.startsWith('file:') ? fileURLToPath(image) : image.replace(/^~(?=\/)/, homedir());
  const found = await stat(path).catch(() => null);
  if (!found)
    throw new UsageError(`image: there is no file ${image} on this computer. Give an absolute path or a URL.`);
  // Devices and pipes are never opened: reading them may never end.
  if (!found.isFile()) throw new UsageError(`image: ${image} is not a file.`);
  if (found.size > maxBytes) throw new UsageError(`image: ${image} is larger than 20 MB.`);
  const bytes = await readFile(path).catch(() => null);
  if (!bytes) throw new UsageError(`image: ${image} cannot be read.`);
  const beginning = bytes.toString('latin1', 0, 12);
  if (!beginnings.some((pattern) => pattern.test(beginning))) {
    throw new UsageError(`image: ${image} is not a JPEG, PNG or WebP picture.`);
  }
  return bytes;
}
