import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';

/** Reads the API reference's script from its file: importing the module that has it as a string would keep 38 MB. */
export async function readDocsScript(): Promise<string> {
  const manifest = findPackageJSON('@scalar/fastify-api-reference', import.meta.url);
  if (manifest === undefined) throw new Error('@scalar/fastify-api-reference is not installed');
  const module = await readFile(join(manifest, '../dist/index.js'), 'utf8');
  const [, literal] = /^var standalone_default = (".*");$/m.exec(module) ?? [];
  if (literal === undefined) throw new Error('@scalar/fastify-api-reference has changed: its script is not found');
  return runInNewContext(literal) as string;
}
