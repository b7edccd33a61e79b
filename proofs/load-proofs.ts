import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Proof } from './proof.ts';

/** Loads every proof, `NAME/NAME.ts`. A folder without such a file holds what several proofs share. */
export async function loadProofs(): Promise<Proof[]> {
  const folder = import.meta.dirname;
  const paths = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name, `${name}.ts`))
    .filter((path) => existsSync(path));
  const modules = await Promise.all(paths.map(async (path) => [path, await import(path)] as const));
  return modules.map(([path, module]: readonly [string, { proof?: Proof }]) => {
    if (!module.proof) throw new Error(`${path} exports no proof`);
    return module.proof;
  });
}
