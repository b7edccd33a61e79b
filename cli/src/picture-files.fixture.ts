import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** The beginning of a PNG file, which is all that the readers of pictures look at. */
export const png = Buffer.from('\u0089PNG\r\n\u001a\nand the rest', 'latin1');

/** Gives the tests of a file a folder of their own, and a function that puts a file there and returns its path. */
export function useFolder() {
  const files = {
    folder: '',
    put: async (name: string, bytes: Uint8Array | string): Promise<string> => {
      const path = join(files.folder, name);
      await writeFile(path, bytes);
      return path;
    },
  };
  beforeAll(async () => {
    files.folder = await mkdtemp(join(tmpdir(), 'kinora-pictures-'));
  });
  afterAll(() => rm(files.folder, { recursive: true, force: true }));
  return files;
}
