import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'histories');

/** Every recorded run of every version, by the name of its file. */
export async function readHistories(): Promise<{ name: string; history: object }[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort();
  return Promise.all(
    files.map(async (file) => ({
      name: file.replace('.json', ''),
      history: Object(JSON.parse(await readFile(join(folder, file), 'utf8'))) as object,
    })),
  );
}
