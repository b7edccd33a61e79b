import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BoxProgram } from './box-limits.ts';

const systemFolders = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'];
/** Where `scripts/setup` puts what it builds. */
const toolsFolder = fileURLToPath(new URL('../../.tools/bin', import.meta.url));

/** Finds the programs that boxed children run; throws if one is missing. */
export async function findPrograms(): Promise<Record<BoxProgram, string>> {
  return { ffmpeg: await findBuiltProgram('kinora-ffmpeg'), node: await realpath(process.execPath) };
}

/** Finds the program that starts boxed children; throws if it is missing. */
export function findMediaProgram(): Promise<string> {
  return findBuiltProgram('kinora-media');
}

async function findBuiltProgram(name: string): Promise<string> {
  const found = await findProgram(name, [toolsFolder, ...systemFolders]);
  if (!found) throw new Error(`${name} is needed; run scripts/setup, which builds it`);
  return found;
}

async function findProgram(name: string, folders: readonly string[]): Promise<string | null> {
  for (const folder of folders) {
    try {
      const path = await realpath(join(folder, name));
      await access(path, constants.X_OK);
      return path;
    } catch {
      // not in this folder
    }
  }
  return null;
}
