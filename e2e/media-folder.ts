import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

// One folder for the pictures and videos of a test file, deleted after its last test.
export const mediaFolder = mkdtempSync(join(tmpdir(), 'kinora-e2e-'));
afterAll(() => rmSync(mediaFolder, { recursive: true, force: true }));

/** Returns a path in that folder where no file exists yet. */
export const newMediaPath = (extension: string): string => join(mediaFolder, `${randomUUID()}.${extension}`);

/** Writes bytes to a new file, so that ffmpeg can read them, and returns its path. */
export async function save(bytes: Uint8Array, extension: string): Promise<string> {
  const path = newMediaPath(extension);
  await writeFile(path, bytes);
  return path;
}
