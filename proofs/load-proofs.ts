import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Proof } from './proof.ts';

/** Loads every proof: each folder NAME next to this file has one in `NAME/NAME.ts`. */
export async function loadProofs(): Promise<Proof[]> {
  const folder = import.meta.dirname;
  const paths = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name, `${name}.ts`));
  const modules = await Promise.all(paths.map(async (path) => [path, await import(path)] as const));
  return modules.map(([path, module]: readonly [string, { proof?: Proof }]) => {
    if (!module.proof) throw new Error(`${path} exports no proof`);
    return module.proof;
  });
}
