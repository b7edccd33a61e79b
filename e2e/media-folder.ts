import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testFolder } from '@kinora/stack/harness/test-folder';

/** One folder for the pictures and videos of a test file. */
export const mediaFolder = testFolder();

/** Returns a path in that folder where no file exists yet. */
export const newMediaPath = (extension: string): string => join(mediaFolder, `${randomUUID()}.${extension}`);

/** Writes bytes to a new file, so that ffmpeg can read them, and returns its path. */
export async function save(bytes: Uint8Array, extension: string): Promise<string> {
  const path = newMediaPath(extension);
  await writeFile(path, bytes);
  return path;
}
