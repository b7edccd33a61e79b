import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

type WorkflowBundle = { codePath: string } | { code: string };

export const workflowFolder = join(import.meta.dirname, '..', 'workflows');

/** Workflows import nothing of ours but domain: see the import table in ARCHITECTURE.md. */
const sourceFolders = [workflowFolder, join(import.meta.dirname, '..', 'domain')];
/** `npm ci` empties it, so it holds no more bundles than there were changes since then. */
const cacheFolder = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'kinora');

/** The workflows as one script for Temporal: beside a built program, or built once per hash of the sources. */
export async function openWorkflowBundle(cache = cacheFolder): Promise<WorkflowBundle> {
  const built = join(import.meta.dirname, 'workflow-bundle.js');
  if (existsSync(built)) return { codePath: built };
  const codePath = join(cache, `workflows-${await hashSources(sourceFolders)}.js`);
  if (existsSync(codePath)) return { codePath };
  // webpack and swc keep 150 MB until the process ends, so they are imported only here.
  const code = await (await import('./bundle-workflows.ts')).bundleWorkflows(workflowFolder);
  return (await isWritten(codePath, code)) ? { codePath } : { code };
}

/** Returns a hash of the sources in the folders, how they are bundled, and the versions of Temporal's packages. */
export async function hashSources(folders: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  const require = createRequire(import.meta.url);
  const packages = ['worker', 'workflow', 'common'].map((name) => require.resolve(`@temporalio/${name}/package.json`));
  const files = await Promise.all(folders.map(listSources));
  for (const path of [join(import.meta.dirname, 'bundle-workflows.ts'), ...packages, ...files.flat()]) {
    const content = await readFile(path);
    hash.update(`${path}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 32);
}

async function listSources(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => /^[a-z0-9-]+\.ts$/.test(name)); // neither tests nor fixtures
  return names.sort().map((name) => join(folder, name));
}

/** Stores the bundle for later starts. An installation that cannot be written to builds it at each start. */
async function isWritten(path: string, code: string): Promise<boolean> {
  const partial = `${path}.${randomUUID()}`;
  try {
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(partial, code);
    await rename(partial, path);
    return true;
  } catch {
    return false;
  }
}
