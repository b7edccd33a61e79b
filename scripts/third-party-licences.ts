import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** Returns all bundled packages' licences as one text; `withoutFile` returns that of one without a file, or throws. */
export async function thirdPartyLicences(
  metafile: Pick<Metafile, 'outputs'>,
  withoutFile: (name: string, license: string) => string = refuse,
): Promise<string> {
  const folders = await packagesInBundle(metafile);
  const licences = await Promise.all([...folders].map((folder) => readLicence(folder, withoutFile)));
  return licences.sort().join(`\n${'-'.repeat(80)}\n\n`);
}

/** Returns the folders of all packages whose code is in a bundle. */
export async function packagesInBundle({ outputs }: Pick<Metafile, 'outputs'>): Promise<Set<string>> {
  const files = new Set(
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
    ),
  );
  const folders = new Set<string>();
  // One file at a time: a process in a container may often have only 1,024 files open.
  for (const file of files) for (const folder of await packageFoldersOf(file)) folders.add(folder);
  return folders;
}

/** Returns the folders of the packages whose code is in a file: none for our own files. */
async function packageFoldersOf(path: string): Promise<string[]> {
  const [folder, modules = ''] = /^(.*node_modules\/)(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
  if (folder === undefined) return [];
  // Some packages contain copies of others. Their bundler marks each copy with the path that it came from.
  const copies = (await readFile(path, 'utf8')).matchAll(/^\/\/#region .*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm);
  return [folder, ...[...copies].map(([, name = '']) => join(modules, name))];
}

function refuse(name: string): never {
  throw new Error(`${name} has no licence file, so its code must not be bundled`);
}

async function readLicence(folder: string, withoutFile: (name: string, license: string) => string): Promise<string> {
  const { name, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    license: string;
  };
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry));
  const text = file === undefined ? withoutFile(name, license) : await readFile(join(folder, file), 'utf8');
  return `${name} (${license})\n\n${text.trim()}\n`;
}
