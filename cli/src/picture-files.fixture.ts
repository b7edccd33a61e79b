import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.fixture.ts';

/** The beginning of a PNG file, which is all that the readers of pictures look at. */
export const png = Buffer.from('\u0089PNG\r\n\u001a\nand the rest', 'latin1');

/** Gives the tests of a file a folder of their own, and a function that puts a file there and returns its path. */
export function useFolder() {
  const folder = temporaryFolder();
  return {
    folder,
    put: async (name: string, bytes: Uint8Array | string): Promise<string> => {
      const path = join(folder, name);
      await writeFile(path, bytes);
      return path;
    },
  };
}
