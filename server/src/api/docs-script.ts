import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';

/**
 * Returns the script of the API reference. Its package has it as a string in a module, and keeps 38 MB if it is imported,
 * so the string is read from the file instead.
 */
export async function readDocsScript(): Promise<string> {
  const manifest = findPackageJSON('@scalar/fastify-api-reference', import.meta.url);
  if (manifest === undefined) throw new Error('@scalar/fastify-api-reference is not installed');
  const module = await readFile(join(manifest, '../dist/index.js'), 'utf8');
  const [, literal] = /^var standalone_default = (".*");$/m.exec(module) ?? [];
  if (literal === undefined) throw new Error('@scalar/fastify-api-reference has changed: its script is not found');
  return runInNewContext(literal) as string;
}
