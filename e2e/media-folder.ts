import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

// One folder for a test file's pictures and videos, gone when the file is done.
const folder = mkdtempSync(join(tmpdir(), 'kinora-e2e-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Where a file that does not exist yet may be written. */
export const newMediaPath = (extension: string): string => join(folder, `${randomUUID()}.${extension}`);

/** Puts bytes where ffmpeg can read them. */
export async function save(bytes: Uint8Array, extension: string): Promise<string> {
  const path = newMediaPath(extension);
  await writeFile(path, bytes);
  return path;
}
