import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const prefix = 'scratch-';

/** Runs the work with a folder of its own under the root, and deletes the folder afterwards, whatever happened. */
export async function withScratchFolder<T>(root: string, work: (folder: string) => Promise<T>): Promise<T> {
  await mkdir(root, { recursive: true });
  const folder = await mkdtemp(join(root, prefix));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes folders that a killed process left behind; no work takes as long as the given age. Returns how many. */
export async function removeStaleScratch(root: string, olderThanSeconds = 24 * 60 * 60): Promise<number> {
  const oldest = Date.now() - olderThanSeconds * 1000;
  const names = await readdir(root).catch(() => []);
  let removed = 0;
  for (const name of names.filter((name) => name.startsWith(prefix))) {
    const folder = join(root, name);
    // Another process may be removing it as well.
    const changedAt = await stat(folder).then(
      (found) => found.mtimeMs,
      () => null,
    );
    if (changedAt === null || changedAt > oldest) continue;
    await rm(folder, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}
